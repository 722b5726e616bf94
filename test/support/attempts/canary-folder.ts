import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

import type { AttemptTarget, Fact } from './attempt.ts';
import { TreeWatch } from './tree-watch.ts';

/** Files that a bundle may not read, with a secret in each of them. */
export interface CanaryFolder {
  readonly files: Pick<
    AttemptTarget,
    'folder' | 'secret' | 'json' | 'module' | 'script' | 'pem' | 'library' | 'project' | 'absent'
  >;
  /** Texts that the bundle must not know. */
  readonly secrets: readonly string[];
  /** Lists what has been read or changed since it was created. */
  look(): readonly Fact[];
}

interface CanaryFolderOptions {
  /** Is created. Its file system records times of access (`strictatime`). */
  readonly folder: string;
  readonly token: string;
  readonly certificate: string;
}

const LIBRARIES = ['/lib/x86_64-linux-gnu/libz.so.1', '/lib/aarch64-linux-gnu/libz.so.1', '/bin/true'];
// Long ago, so that every access is later.
const BASELINE_SECONDS = 1_000_000_000;

/** Creates the files that one attempt may aim at. */
export function createCanaryFolder({ folder, token, certificate }: CanaryFolderOptions): CanaryFolder {
  const inFolder = (name: string): string => path.join(folder, name);
  const project = inFolder('project');
  const files = {
    folder,
    secret: inFolder('secret'),
    json: inFolder('secret.json'),
    module: inFolder('secret.mjs'),
    script: inFolder('secret.cjs'),
    pem: inFolder('secret.pem'),
    library: inFolder('library.so'),
    project,
    absent: inFolder('absent'),
  };
  mkdirSync(project, { recursive: true });
  const text = JSON.stringify(token);
  writeFileSync(files.secret, `SECRET=${token}\n`);
  writeFileSync(
    files.json,
    `{ "name": ${text}, "version": 3, "mappings": "AAAA", "sources": [${text}], "names": [] }`,
  );
  writeFileSync(files.module, `export default ${text};\n`);
  writeFileSync(files.script, `module.exports = ${text};\n`);
  writeFileSync(files.pem, certificate);
  writeFileSync(path.join(project, 'package.json'), `{ "name": ${text}, "type": "module" }`);
  writeFileSync(path.join(project, 'index.js'), `export default ${text};\n`);
  // The list of names is a secret as well.
  writeFileSync(inFolder(token), '');
  copyFileSync(LIBRARIES.find((file) => existsSync(file)) ?? '', files.library);
  const regular = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map(inFolder)
    .filter((file) => lstatSync(file).isFile());
  for (const file of regular) utimesSync(file, BASELINE_SECONDS, BASELINE_SECONDS);
  const watch = new TreeWatch(folder);
  return {
    files,
    secrets: [token, certificate.split('\n')[3] ?? token],
    look: () => [...watch.look(), ...findReads(regular)],
  };
}

function findReads(files: readonly string[]): readonly Fact[] {
  return files
    .filter((file) => lstatSync(file, { throwIfNoEntry: false })?.atimeMs !== BASELINE_SECONDS * 1000)
    .map((file) => ({ kind: 'read', detail: path.basename(file) }));
}
