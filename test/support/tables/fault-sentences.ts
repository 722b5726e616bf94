import { globSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../../..');

/** Sentences with their codes. */
type Sentences = readonly (readonly [code: string, sentence: string])[];

/** Lists the sentences of errors in documents and bodies that all modules declare, with their codes. */
export function listFaultSentences(): Promise<Sentences> {
  return listSentences('fault-sentences.ts');
}

/** Lists the sentences of failures of devices and connections that all modules declare, with their codes. */
export function listFailureSentences(): Promise<Sentences> {
  return listSentences('failure-sentences.ts');
}

/** Lists the parts of traces and plans that all drivers declare, with their codes. */
export function listTraceSentences(): Promise<Sentences> {
  return listSentences('trace-sentences.ts');
}

/** Lists the sentences of scans that all drivers declare, with their codes. */
export function listScanSentences(): Promise<Sentences> {
  return listSentences('scan-sentences.ts');
}

async function listSentences(name: string): Promise<Sentences> {
  const files = globSync(`{daemon,drivers}/**/${name}`, { cwd: ROOT });
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
