import { language } from './language.ts';
import type { Text } from './text.ts';

/**
 * Returns a text in the current language.
 *
 * @param values replacements of the `{name}` placeholders
 */
export function fill(text: Text, values: Readonly<Record<string, string | number>> = {}): string {
  return text[language.value].replaceAll(/\{(\w+)\}/g, (place, name: string) => {
    const value = values[name];
    return value === undefined ? place : String(value);
  });
}
