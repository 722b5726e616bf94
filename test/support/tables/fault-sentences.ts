import { globSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../../..');

/** Lists the sentences of errors in documents and bodies that all modules declare, with their codes. */
export async function listFaultSentences(): Promise<readonly (readonly [code: string, sentence: string])[]> {
  const files = globSync('{daemon,drivers}/**/fault-sentences.ts', { cwd: ROOT });
  const tables = await Promise.all(
    files.map(async (file) => {
      const module = (await import(path.join(ROOT, file))) as Readonly<
        Record<string, Readonly<Record<string, string>>>
      >;
      return Object.values(module);
    }),
  );
  return tables.flat().flatMap((table) => Object.entries(table));
}
