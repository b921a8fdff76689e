import { createElement as h } from 'react';
import './style.css';

export default function List({ shown }) {
  return h('ul', null, shown.map((item) => h('li', { key: item.href }, h('a', { href: item.href }, item.text))));
}
