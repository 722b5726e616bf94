import { fill } from '../text/fill.ts';
import type { Text } from '../text/text.ts';
import { YAML_FAULTS } from '../text/yaml-faults.ts';

/** Returns the words for a syntax error in the current language, by the code of the parser. */
export function describeYamlFault(code: string): string {
  const texts: Readonly<Record<string, Text>> = YAML_FAULTS;
  return fill(texts[code] ?? YAML_FAULTS.UNEXPECTED_TOKEN);
}
