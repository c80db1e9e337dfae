// Chooses the platform and mounts the app.
import { mount } from 'svelte';
import { call, connect } from '$ipc';
import { insideTauri, tauriPlatform } from '$ipc/tauri';
import App from './app/App.svelte';
import './shared/styles/fonts.css';
import './shared/styles/tokens.css';
import './shared/styles/base.css';

async function choosePlatform() {
  if (insideTauri()) return tauriPlatform;
  const { fakeFromAddress } = await import('$ipc/fake');
  return fakeFromAddress(window.location.search);
}

const target = document.getElementById('app');
if (target) {
  await connect(await choosePlatform());
  mount(App, { target });
  // The second animation frame begins when the first one is on the screen.
  requestAnimationFrame(() => requestAnimationFrame(() => void call('first_paint', {})));
}
