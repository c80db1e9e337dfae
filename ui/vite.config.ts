import { fileURLToPath } from 'node:url';
import { svelte, vitePreprocess } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  plugins: [svelte({ preprocess: vitePreprocess(), compilerOptions: { runes: true } })],
  resolve: {
    alias: [
      { find: /^\$ipc$/, replacement: here('./src/ipc/index.ts') },
      { find: /^\$ipc\//, replacement: here('./src/ipc/') },
      { find: /^\$shared$/, replacement: here('./src/shared/index.ts') },
      { find: /^\$shared\//, replacement: here('./src/shared/') },
    ],
    // Tests mount components, so they need the browser's half of Svelte.
    conditions: process.env.VITEST ? ['browser'] : undefined,
  },
  clearScreen: false,
  server: { port: 5173, strictPort: true, host: '127.0.0.1' },
  build: {
    // The web views that Tauri 2 runs in: WebKitGTK 2.4x, WKWebView of macOS 13, WebView2.
    target: ['es2022', 'safari16.4', 'chrome110'],
    // A font as a data: address would need a hole in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  test: {
    environment: 'jsdom',
    setupFiles: ['./vitest.setup.ts'],
    include: ['src/**/*.test.ts'],
    restoreMocks: true,
    // A busy machine with two cores takes its time; a hang is still found.
    testTimeout: 60_000,
  },
});
