import { effect, signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';

import type { Language } from './text.ts';

const STORED = 'penstock.language';

const chosen = signal<Language>(readLanguage());

/** Current language. */
export const language: ReadonlySignal<Language> = chosen;

/** Selects the language; persists over reloads. */
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
