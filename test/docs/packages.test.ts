import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { UNPACKING_LIMIT_MS } from '../../daemon/software/package/unpack-in-child.ts';
import { DEPLOYMENT_CODES } from '../../daemon/software/package/deployment-error.ts';
import { DOWNLOAD_LIMIT_MS, MAXIMUM_REDIRECTS } from '../../daemon/software/deployment/source/download.ts';
import { MAXIMUM_WAITING_OPERATIONS } from '../../daemon/software/deployment/operation/operation-log.ts';
import { OPERATION_LIMIT_MS } from '../../daemon/software/deployment/operation/operation-queue.ts';
import { START_LIMIT_MS } from '../../daemon/software/deployment/package-bundles.ts';
import {
  MAXIMUM_ENTRIES,
  MAXIMUM_KEPT_ENTRIES,
  MAXIMUM_RATIO,
  MAXIMUM_UNPACKED_BYTES,
} from '../../daemon/software/package/archive/zip-directory.ts';
import { startGateway } from '../support/gateway.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { needs } from '../support/tests-that-need.ts';

const PAGE = readFileSync(path.resolve(import.meta.dirname, '../../docs/reference/packages.md'), 'utf8');
const BLOCKS = [...PAGE.matchAll(/^```sh\n([^]*?)^```/gm)].map(([, text = '']) => text);

test(
  'the commands of the documentation build a package and install it',
  needs('curl', 'python3'),
  async (t) => {
    const gateway = await startGateway(t);
    const directory = createTemporaryDirectory(t);
    const socket = path.join(gateway.dataDirectory, 'penstock.sock');
    const run = (script: string): string =>
      execFileSync('sh', ['-e', '-c', script.replaceAll('/run/penstock/penstock.sock', socket)], {
        cwd: directory,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    const [build = '', send = ''] = BLOCKS;
    run(build);
    const output = run(send);
    assert.ok(output.startsWith('"REQUEST_RECEIVED"'), output);
    const list = `curl -s --unix-socket ${socket} http://localhost/services/deploy/v2`;
    let installed = JSON.parse(run(list)) as readonly { readonly name: string }[];
    // The operation goes on after its answer; a failed one would be seen in its status.
    while (installed.length === 0) {
      assert.doesNotMatch(run(`${list}/_status`), /FAILED/);
      installed = JSON.parse(run(list)) as typeof installed;
    }
    assert.deepEqual(
      installed.map(({ name }) => name),
      ['com.example.pumps'],
    );
  },
);

test('the limits of the documentation are those of the code', () => {
  const numbers = (text: string): readonly number[] =>
    [...(PAGE.split('\n').find((line) => line.includes(text)) ?? '').matchAll(/\d+/g)].map(Number);
  assert.deepEqual(numbers('| entries of a package, of a bundle'), [MAXIMUM_ENTRIES]);
  assert.deepEqual(numbers('| entries of a bundle that is kept'), [MAXIMUM_KEPT_ENTRIES]);
  assert.deepEqual(numbers('| unpacked size of a package'), [MAXIMUM_UNPACKED_BYTES / 1_048_576]);
  assert.deepEqual(numbers('| packed to unpacked size'), [1, 1, MAXIMUM_RATIO]);
  assert.equal(numbers('| time to check and unpack')[0], UNPACKING_LIMIT_MS / 1000);
  assert.deepEqual(numbers('| operations that wait'), [MAXIMUM_WAITING_OPERATIONS]);
  assert.deepEqual(numbers('Operations are done one after the other'), [
    OPERATION_LIMIT_MS / 60_000,
    DOWNLOAD_LIMIT_MS / 60_000,
    START_LIMIT_MS / 1000,
  ]);
  assert.deepEqual(numbers('follow up to'), [MAXIMUM_REDIRECTS]);
});

test('the error codes of the documentation are those that there can be', () => {
  const documented = [...PAGE.matchAll(/^\| (4\d\d) /gm)].map(([, code]) => Number(code));
  const known = new Set<number>(Object.values(DEPLOYMENT_CODES));
  assert.ok(documented.length > 10 && documented.every((code) => known.has(code)));
});
