// What the whole window knows: whether the data could be opened, the settings, and the state of the engine.
import {
  asEngineError,
  call,
  resource,
  type EngineError,
  type Health,
  type JsonValue,
  type SettingView,
  type Startup,
} from '$ipc';
import { errorText, locale, systemLocale, toast } from '$shared';

export const TEXT_SIZES = [100, 110, 125, 150, 175, 200] as const;
export type Theme = 'system' | 'light' | 'dark';
export type Language = 'system' | 'en' | 'ko';

export class Session {
  startup = $state.raw<Startup | null>(null);
  /** The start itself failed: not even the reason could be read. */
  failure = $state.raw<EngineError | null>(null);
  private readonly settingsRead = resource<SettingView[]>(['settings'], () => call('list_settings', {}));
  private readonly healthRead = resource<Health>(['health', 'memories', 'review'], () => call('health', {}));

  get settings(): SettingView[] {
    return this.settingsRead.value ?? this.startup?.settings ?? [];
  }

  get health(): Health | null {
    return this.healthRead.value ?? this.startup?.health ?? null;
  }

  get error(): EngineError | null {
    return this.failure ?? this.startup?.error ?? null;
  }

  /** Starts, or starts again after an error. */
  async start(): Promise<void> {
    this.failure = null;
    try {
      this.startup = await call('startup', {});
    } catch (thrown) {
      this.failure = asEngineError(thrown);
      return;
    }
    this.applyAppearance();
    if (!this.startup.error) await Promise.all([this.settingsRead.load(), this.healthRead.load()]);
  }

  /** Asks the engine again how it is. */
  checkHealth = () => this.healthRead.load();

  setting(name: string): SettingView | null {
    return this.settings.find((setting) => setting.name === name) ?? null;
  }

  get theme(): Theme {
    const value = this.setting('ui.theme')?.value;
    return value === 'light' || value === 'dark' ? value : 'system';
  }

  get language(): Language {
    const value = this.setting('ui.language')?.value;
    return value === 'en' || value === 'ko' ? value : 'system';
  }

  get textSize(): number {
    const value = Number(this.setting('ui.textSize')?.value ?? 100);
    return Number.isFinite(value) ? Math.min(200, Math.max(100, value)) : 100;
  }

  get onboarded(): boolean {
    return this.setting('ui.onboarded')?.value !== false;
  }

  /** Stores a setting; throws the engine's refusal, which names the field and the range. */
  async save(name: string, value: JsonValue): Promise<void> {
    await call('save_setting', { name, value });
    await this.settingsRead.load();
    this.applyAppearance();
  }

  /** Stores a setting of the window; it holds at once, and a failure to keep it is said. */
  async saveOrSay(name: string, value: JsonValue): Promise<void> {
    try {
      await this.save(name, value);
    } catch (thrown) {
      toast.show({ kind: 'failed', text: errorText(asEngineError(thrown)) });
    }
  }

  /** One step larger (1), smaller (-1), or back to 100 % (0). */
  stepTextSize(direction: -1 | 0 | 1) {
    const now = TEXT_SIZES.findIndex((size) => size >= this.textSize);
    const next = direction === 0 ? 0 : Math.min(TEXT_SIZES.length - 1, Math.max(0, now + direction));
    void this.saveOrSay('ui.textSize', TEXT_SIZES[next] ?? 100);
  }

  /** Puts language, theme and text size on the page. */
  applyAppearance() {
    locale.current = this.language === 'system' ? systemLocale() : this.language;
    const root = document.documentElement;
    if (this.theme === 'system') delete root.dataset['theme'];
    else root.dataset['theme'] = this.theme;
    root.style.setProperty('--text-scale', String(this.textSize / 100));
  }

  stop() {
    this.settingsRead.stop();
    this.healthRead.stop();
  }
}
