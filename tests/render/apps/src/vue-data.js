import { createApp, h, onMounted, ref } from 'vue';

createApp({
  setup() {
    const shown = ref([]);
    onMounted(() => {
      const request = new XMLHttpRequest();
      request.onload = () => (shown.value = JSON.parse(request.responseText));
      request.open('GET', '/items.json?name=vue-data');
      request.send();
    });
    return () => h('nav', shown.value.map((item) => h('a', { href: item.href }, item.text)));
  },
}).mount('#root');
