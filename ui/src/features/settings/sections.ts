// The settings that the engine acts upon, by section: one row of data each. Names, ranges and defaults are the
// engine's; the words are under `settings.<name>`, `settings.<name>.text` and `settings.value.<name>.<value>`.
import type { IconName, MessageKey } from '$shared';

export type SettingKind = 'switch' | 'segmented' | 'select' | 'number' | 'text';

export interface SettingEntry {
  name: string;
  kind: SettingKind;
  /** Values of a choice; `''` stands for null, which is "as the setting above says". */
  values?: readonly (string | number)[];
  /** Where the texts of the values are, when they are not its own. */
  valuesOf?: string;
  /** Texts that are not translated, such as the names of languages. */
  texts?: Record<string, { text: string; lang?: string }>;
  unit?: MessageKey;
  /** Stands under the row above it. */
  inner?: boolean;
}

export interface SettingGroup {
  title?: MessageKey;
  text?: MessageKey;
  entries: readonly SettingEntry[];
}

export interface Section {
  id: string;
  label: MessageKey;
  icon: IconName;
  groups: readonly SettingGroup[];
}

const POLICY = ['block', 'review', 'allow'] as const;
const SENSITIVE_KINDS = [
  'health',
  'belief',
  'politics',
  'sexual_life',
  'union',
  'ids',
  'cards_and_accounts',
  'precise_location',
  'children',
  'biometrics',
] as const;
const SIZES = [100, 110, 125, 150, 175, 200];

export const SECTIONS: readonly Section[] = [
  { id: 'health', label: 'settings.health', icon: 'pulse', groups: [] },
  {
    id: 'search',
    label: 'settings.search',
    icon: 'cpu',
    groups: [
      {
        entries: [
          { name: 'memoryStrategy', kind: 'select', values: ['hybrid', 'rrf', 'semantic', 'exact', 'recent'] },
          { name: 'memoryMaxTokens', kind: 'number', unit: 'settings.tokens' },
          { name: 'memoryRrfK', kind: 'number' },
        ],
      },
      {
        title: 'settings.model',
        text: 'settings.model.text',
        entries: [
          { name: 'memoryTransformersEnabled', kind: 'switch' },
          { name: 'memoryTransformersModel', kind: 'text' },
        ],
      },
      {
        title: 'settings.chat',
        text: 'settings.chat.text',
        entries: [
          { name: 'chatModel', kind: 'text' },
          { name: 'chatUrl', kind: 'text' },
          { name: 'chatMaxTokens', kind: 'number', unit: 'settings.tokens' },
        ],
      },
      {
        title: 'settings.cache',
        text: 'settings.cache.text',
        entries: [
          { name: 'memoryEmbeddingCacheMax', kind: 'number', unit: 'settings.vectors' },
          { name: 'memoryEmbeddingCacheTtlMs', kind: 'number', unit: 'settings.milliseconds' },
        ],
      },
    ],
  },
  {
    id: 'memory',
    label: 'settings.memory',
    icon: 'memory',
    groups: [
      {
        entries: [
          { name: 'memoryEnabled', kind: 'switch' },
          { name: 'memoryCaptureMode', kind: 'select', values: ['auto', 'confirm', 'manual', 'recall-only'] },
          { name: 'memoryRetentionDays', kind: 'number', unit: 'settings.days' },
          { name: 'procedural', kind: 'segmented', values: ['review', 'allow'] },
          { name: 'on_retrieval_error', kind: 'segmented', values: ['continue', 'review'] },
        ],
      },
    ],
  },
  {
    id: 'privacy',
    label: 'settings.privacy',
    icon: 'shield',
    groups: [
      { entries: [{ name: 'sensitive', kind: 'segmented', values: POLICY }] },
      {
        title: 'settings.kinds',
        text: 'settings.kinds.text',
        entries: SENSITIVE_KINDS.map((kind) => ({
          name: `sensitive.${kind}`,
          kind: 'select' as const,
          values: ['', ...POLICY],
          valuesOf: 'sensitive',
        })),
      },
    ],
  },
  {
    id: 'appearance',
    label: 'settings.appearance',
    icon: 'text',
    groups: [
      {
        entries: [
          {
            name: 'ui.language',
            kind: 'segmented',
            values: ['system', 'en', 'ko'],
            texts: { en: { text: 'English', lang: 'en' }, ko: { text: '한국어', lang: 'ko' } },
          },
          { name: 'ui.theme', kind: 'segmented', values: ['system', 'light', 'dark'] },
          {
            name: 'ui.textSize',
            kind: 'segmented',
            values: SIZES,
            texts: Object.fromEntries(SIZES.map((size) => [String(size), { text: `${size} %` }])),
          },
        ],
      },
    ],
  },
];
