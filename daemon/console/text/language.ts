import { effect, signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';

/** Languages of the console; every text has all of them. */
export type Language = 'en' | 'de';

/** One text in every language. `{name}` stands for a value. */
export type Text = Readonly<Record<Language, string>>;

const STORED = 'penstock.language';

const chosen = signal<Language>(readLanguage());

/** The language that is shown. */
export const language: ReadonlySignal<Language> = chosen;

/** Shows another language from now on, also after a reload. */
export function chooseLanguage(next: Language): void {
  chosen.value = next;
  localStorage.setItem(STORED, next);
}

effect(() => {
  document.documentElement.lang = chosen.value;
});

function readLanguage(): Language {
  const stored = localStorage.getItem(STORED);
  if (stored === 'en' || stored === 'de') return stored;
  return navigator.language.toLowerCase().startsWith('de') ? 'de' : 'en';
}
