import { h, render } from 'preact';
import { useState } from 'preact/hooks';
import { items } from './items.js';

function App() {
  const [shown] = useState(items('preact'));
  return h('main', null, shown.map((item) => h('a', { href: item.href }, item.text)));
}
render(h(App), document.getElementById('root'));
