import { effect, signal } from '@preact/signals';

import type { RestFailure } from '../api/rest-failure.ts';
import { language } from '../text/language.ts';

type Sentences = Readonly<Record<string, string>>;

const german = signal<{ readonly messages: Sentences; readonly causes: Sentences }>({
  messages: {},
  causes: {},
});

// Most pages show no failure, and the messages of the gateway are English.
effect(() => {
  if (language.value === 'en') return;
  Promise.all([import('../text/gateway-messages.ts'), import('../text/cause-messages.ts')]).then(
    ([{ GERMAN_MESSAGES: messages }, { GERMAN_CAUSES: causes }]) => {
      german.value = { messages, causes };
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
  return language.value === 'en' ? message : (german.value.messages[code] ?? message);
}

/**
 * Returns the cause in a record in the current language, by its code, without what only the gateway's message says.
 *
 * @returns the gateway's own message if there is no translation
 */
export function translateCause(code: string | undefined, message: string): string {
  return findCause(code) ?? message;
}

/** Returns the cause in a record in the current language, followed by the gateway's own message. */
export function explainCause(code: string | undefined, message: string): string {
  const words = findCause(code);
  return words === undefined ? message : message === '' ? words : `${words} (${message})`;
}

function findCause(code: string | undefined): string | undefined {
  return language.value === 'en' || code === undefined ? undefined : german.value.causes[code];
}
