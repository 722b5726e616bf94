import { buffer } from 'node:stream/consumers';
import { serialize } from 'node:v8';

import { parseYaml, YamlError } from './yaml-document.ts';
import type { YamlAnswer } from './yaml-reader.ts';

// Entry of the child process of `yaml-reader.ts`: a text on standard input, one answer on standard output.
process.stdout.write(serialize(answer(await buffer(process.stdin))));

function answer(bytes: Uint8Array): YamlAnswer {
  try {
    return { document: parseYaml(bytes) };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return { fault: { position: error.position, reason: error.reason } };
  }
}
