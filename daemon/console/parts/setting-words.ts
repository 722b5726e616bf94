import { signal } from '@preact/signals';

import { language } from '../text/language.ts';

/** Words of a schema for a setting. */
interface SettingWords {
  readonly title?: string;
  readonly description?: string;
  /** Words in German, from the package of a bundle. */
  readonly 'x-de'?: { readonly title?: string; readonly description?: string };
}

const german = signal<Readonly<Record<string, string>>>({});
let isRequested = false;

/** Requests the translations of descriptions if the current language needs them: before the first one is shown outside of a component. */
export function loadDescriptions(): void {
  if (language.value === 'en' || isRequested) return;
  isRequested = true;
  import('../text/gateway/german-descriptions.ts').then(
    ({ GERMAN_DESCRIPTIONS }) => {
      german.value = GERMAN_DESCRIPTIONS;
    },
    () => undefined,
  );
}

/** Returns the title of a setting in the current language; undefined if it has none. */
export function translateTitle({ title, 'x-de': own }: SettingWords): string | undefined {
  if (title === undefined || language.value === 'en') return title;
  loadDescriptions();
  return own?.title ?? german.value[title] ?? title;
}

/** Returns what a setting says below its title in the current language; empty: nothing. */
export function translateDetail({ description = '', 'x-de': own }: SettingWords): string {
  if (language.value === 'en') return description;
  loadDescriptions();
  return own?.description ?? german.value[description] ?? description;
}

/**
 * Returns the description of a setting in the current language, or its title if it has none.
 *
 * @returns the words of the schema if there is no translation
 */
export function translateDescription({ title = '', description = title, 'x-de': own }: SettingWords): string {
  if (language.value === 'en') return description;
  loadDescriptions();
  return own?.description ?? own?.title ?? german.value[description] ?? description;
}
