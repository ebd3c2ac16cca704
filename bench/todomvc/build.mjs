// Bundle the list of todos of each framework: `node build.mjs SOURCES OUT`, where the packages are.
// OUT gets a folder for each, with `index.html` and `app.js`, and the style sheet that all share.
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';

const [sources, out] = process.argv.slice(2);
const here = createRequire(join(process.cwd(), 'package.json'));
const esbuild = here('esbuild');
const vue = here('vue/compiler-sfc');
const svelte = here('svelte/compiler');

const ENTRIES = ['react.jsx', 'preact.jsx', 'vue.js', 'svelte.js', 'lit.js', 'angular.ts', 'jquery.js'];
const NAMES = { react: 'React', preact: 'Preact', vue: 'Vue', svelte: 'Svelte', lit: 'Lit', angular: 'Angular', jquery: 'jQuery' };

const COMPILERS = {
  vue(source, filename) {
    const { descriptor, errors } = vue.parse(source, { filename });
    if (errors.length) throw errors[0];
    return vue.compileScript(descriptor, { id: 'todos', inlineTemplate: true, isProd: true }).content;
  },
  svelte: (source, filename) => svelte.compile(source, { filename, generate: 'client', dev: false }).js.code,
};

const components = {
  name: 'components',
  setup(build) {
    for (const [kind, compile] of Object.entries(COMPILERS)) {
      build.onLoad({ filter: new RegExp(`Todos\\.${kind}$`) }, async ({ path }) => ({
        contents: compile(await readFile(path, 'utf8'), path),
        loader: 'js',
      }));
    }
  },
};

const page = (name) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${name} • TodoMVC</title>
<link rel="stylesheet" href="/todomvc.css">
<div id="app"></div>
<script src="app.js"></script>
`;

async function bundle(entry) {
  const name = basename(entry).split('.')[0];
  const folder = join(out, name);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'index.html'), page(NAMES[name]));
  await esbuild.build({
    entryPoints: [join(sources, entry)],
    outfile: join(folder, 'app.js'),
    bundle: true,
    minify: true,
    format: 'iife',
    conditions: ['production', 'browser'],
    nodePaths: [join(process.cwd(), 'node_modules')],
    define: {
      'process.env.NODE_ENV': '"production"',
      __VUE_OPTIONS_API__: 'false',
      __VUE_PROD_DEVTOOLS__: 'false',
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
      ngDevMode: 'false',
    },
    jsx: 'automatic',
    jsxImportSource: name === 'preact' ? 'preact' : 'react',
    loader: { '.css': 'text' },
    plugins: [components],
    tsconfigRaw: { compilerOptions: { experimentalDecorators: true, useDefineForClassFields: false } },
    logLevel: 'error',
  });
}

await mkdir(out, { recursive: true });
await copyFile(here.resolve('todomvc-app-css/index.css'), join(out, 'todomvc.css'));
await Promise.all(ENTRIES.map(bundle));
