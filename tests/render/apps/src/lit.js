import { LitElement, html } from 'lit';
import { items } from './items.js';

class OneItem extends LitElement {
  static properties = { item: {} };
  render() {
    return html`<a href=${this.item.href}>${this.item.text}</a>`;
  }
}
class AllItems extends LitElement {
  render() {
    return html`<h1>lit</h1>${items('lit').map((item) => html`<one-item .item=${item}></one-item>`)}`;
  }
}
customElements.define('one-item', OneItem);
customElements.define('all-items', AllItems);
document.getElementById('root').innerHTML = '<all-items></all-items>';
