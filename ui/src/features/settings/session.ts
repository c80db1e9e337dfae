// What the settings ask of the window around them.
import type { Health, JsonValue, SettingView } from '$ipc';

export interface SettingsSession {
  readonly health: Health | null;
  setting(name: string): SettingView | null;
  /** Stores a setting. Throws the engine's refusal, which names the field and the range. */
  save(name: string, value: JsonValue): Promise<void>;
  checkHealth(): Promise<void>;
}
