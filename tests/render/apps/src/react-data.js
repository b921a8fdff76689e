import { createElement as h, lazy, Suspense, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';

const List = lazy(() => import('./react-list.js'));

function App() {
  const [shown, show] = useState([]);
  useEffect(() => {
    const load = async () => show(await (await fetch('/items.json?name=react-data')).json());
    const timer = setTimeout(load, 500);
    return () => clearTimeout(timer);
  }, []);
  return h(Suspense, { fallback: 'Loading …' }, h(List, { shown }));
}
createRoot(document.getElementById('root')).render(h(App));
