// Chooses the platform and mounts the app.
import { mount } from 'svelte';
import { connect } from '$ipc';
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
}
