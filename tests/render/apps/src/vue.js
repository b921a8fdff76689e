import { createApp } from 'vue';
import { items } from './items.js';

createApp({
  data: () => ({ shown: items('vue') }),
  template: '<main><h1>vue</h1><a v-for="item in shown" :href="item.href">{{ item.text }}</a></main>',
}).mount('#root');
