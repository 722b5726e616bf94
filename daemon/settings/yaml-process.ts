import { serialize } from 'node:v8';

import { readRequest, writeAnswer } from '../base/process/child-standard-streams.ts';
import { parseYaml, YamlError } from './yaml-document.ts';
import type { YamlAnswer } from './yaml-reader.ts';

// Child process of `yaml-reader.ts`: text on standard input, one response on standard output.
writeAnswer(serialize(answer(readRequest())));

function answer(bytes: Uint8Array): YamlAnswer {
  try {
    return { document: parseYaml(bytes) };
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return { fault: { position: error.position, reason: error.reason } };
  }
}
