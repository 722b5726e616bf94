import { effect, signal } from '@preact/signals';

import type { RestFailure } from '../api/rest-failure.ts';
import { language } from '../text/language.ts';

const german = signal<Readonly<Record<string, string>>>({});

// Most pages show no failure, and the messages of the gateway are English.
effect(() => {
  if (language.value === 'en') return;
  import('../text/gateway-messages.ts').then(
    ({ GERMAN_MESSAGES }) => {
      german.value = GERMAN_MESSAGES;
    },
    () => undefined,
  );
});

/**
 * Returns the message of a failure in the current language, by its code.
 *
 * @returns the gateway's own message if there is no translation
 */
export function translateFailure({ code = '', message }: RestFailure): string {
  return language.value === 'en' ? message : (german.value[code] ?? message);
}
