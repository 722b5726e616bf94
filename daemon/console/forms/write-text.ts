import { Document } from 'yaml';

/** Writes a value as YAML. The parser, the larger half of the library, is not part of this. */
export function writeYaml(value: unknown): string {
  return new Document(value).toString({ lineWidth: 110 });
}
