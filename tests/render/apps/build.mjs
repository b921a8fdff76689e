// Builds each application of src/ into FOLDER/NAME with vite, as its users would: node build.mjs FOLDER
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { compile } from 'svelte/compiler';
import { build } from 'vite';

const NAMES = ['react', 'vue', 'svelte', 'preact', 'lit', 'solid', 'react-data', 'vue-data'];
const folder = resolve(process.argv[2]);
const here = import.meta.dirname;
const svelte = {
  name: 'svelte',
  transform: (source, id) => (id.endsWith('.svelte') ? compile(source, { filename: id }).js : undefined),
};

for (const name of NAMES) {
  const root = join(here, 'begun', name);
  mkdirSync(root, { recursive: true });
  const page = readFileSync(join(here, 'src', 'index.html'), 'utf8').replaceAll('NAME', name);
  writeFileSync(join(root, 'index.html'), page);
  await build({
    root,
    base: `/${name}/`,
    logLevel: 'error',
    configFile: false,
    plugins: [svelte],
    resolve: { alias: { '/app.js': join(here, 'src', `${name}.js`), vue: 'vue/dist/vue.esm-bundler.js' } },
    define: { __VUE_OPTIONS_API__: 'true', __VUE_PROD_DEVTOOLS__: 'false', __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false' },
    build: { outDir: join(folder, name), emptyOutDir: true },
  });
}
