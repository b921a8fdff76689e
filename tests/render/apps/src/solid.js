import { createSignal, For } from 'solid-js';
import html from 'solid-js/html';
import { render } from 'solid-js/web';
import { items } from './items.js';

const [shown] = createSignal(items('solid'));
const App = () => html`<main><${For} each=${shown}>${(item) => html`<a href=${item.href}>${item.text}</a>`}<//></main>`;
render(App, document.getElementById('root'));
