import { createElement as h, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { items } from './items.js';
import './style.css';

function App() {
  const [shown] = useState(items('react'));
  return h('main', null, h('h1', null, 'react'), shown.map((item) => h('a', { key: item.href, href: item.href }, item.text)));
}
createRoot(document.getElementById('root')).render(h(App));
