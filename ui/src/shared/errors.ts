// An error of the engine as a sentence with a next step, in the language of the window.
import type { EngineError } from '$ipc';
import { hasText, t, tCode } from './text/i18n.svelte';

export function errorText(error: EngineError): string {
  if (error.code === 'invalid_input') {
    // What is allowed, in the language of the window, for every field that the window has.
    if (error.field && hasText('error.field', error.field)) return tCode('error.field', error.field);
    const named = !error.field || error.message.startsWith(`${error.field}:`);
    return named ? error.message : t('error.field', { field: error.field ?? '', message: error.message });
  }
  return tCode('error', error.code, error.message);
}
