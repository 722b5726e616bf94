import { effect, signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';

import { loadTexts } from './load-texts.ts';
import type { Language } from './text.ts';

const STORED = 'penstock.language';
const RETRY_MS = 2000;

const chosen = signal<Language>(readLanguage());
const areLoaded = signal(false);
let latest = chosen.peek();

/** Current language. */
export const language: ReadonlySignal<Language> = chosen;

/** False until the first texts are loaded: nothing can be said before. */
export const hasTexts: ReadonlySignal<boolean> = areLoaded;

/** Selects the language as soon as its texts are loaded; persists over reloads. */
export function chooseLanguage(next: Language): void {
  localStorage.setItem(STORED, next);
  void showLanguage(next);
}

/**
 * Loads the texts of a language and shows them, unless another one is chosen before. Without a response, the language stays; the
 * first one is requested again.
 */
export async function showLanguage(next: Language): Promise<void> {
  latest = next;
  try {
    await loadTexts(next);
  } catch {
    // Without any texts, the page cannot say what is wrong.
    if (!areLoaded.peek() && latest === next) setTimeout(() => void showLanguage(next), RETRY_MS);
    return;
  }
  if (latest !== next) return;
  chosen.value = next;
  areLoaded.value = true;
}

effect(() => {
  document.documentElement.lang = chosen.value;
});

function readLanguage(): Language {
  const stored = localStorage.getItem(STORED);
  if (stored === 'en' || stored === 'de') return stored;
  return navigator.language.toLowerCase().startsWith('de') ? 'de' : 'en';
}
