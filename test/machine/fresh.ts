import assert from 'node:assert/strict';
import { test } from 'node:test';

import { findObstacle, FRESH_RELEASES, layOutFreshDebian } from './fresh-debian.ts';
import { findNamedPackages, listMissingPackages } from './missing-packages.ts';
import { listTestsWithTools } from './tests-with-tools.ts';

const obstacle = findObstacle();
const options = obstacle === undefined ? {} : { skip: obstacle };

// Every other test is the same everywhere: test/tools.test.ts sees to it that it starts nothing that a Debian may lack. Those of
// `npm run test:all` alone are tried by fresh-suite.ts.
const TESTS = listTestsWithTools().join(' ');

// Asks the daemon of the demonstration for the assets, and stops it.
const DEMO = `
npm start > demo.log 2>&1 & demo=$!
until grep -q 'Ctrl-C stops everything' demo.log; do kill -0 $demo; sleep 0.2; done
node --input-type=module -e "
  import { readFileSync } from 'node:fs';
  import { get } from 'node:https';
  const text = readFileSync('demo.log', 'utf8');
  const [, directory] = /removes the directory (.+)\\.\\n/.exec(text);
  const [, port, path] = /https:..localhost:(\\d+)(\\S*_read)/.exec(text);
  const read = (name) => readFileSync(directory + '/' + name);
  const pair = { ca: read('ca.crt'), cert: read('scada.crt'), key: read('scada.key') };
  get({ host: '127.0.0.1', servername: 'localhost', port, path, ...pair }, (answer) => answer.pipe(process.stdout));
"
printf '\\nfirst line: '
sed -n '/^>/d; /./ { p; q }' demo.log
kill -INT $demo
wait $demo
printf '\\nended\\n'
`;

for (const release of FRESH_RELEASES) {
  test(`on ${release} with nothing but its npm the two commands of README.md work`, options, async (t) => {
    const debian = layOutFreshDebian(t, release);
    await t.test('npm ci', async () => {
      const { status, output } = await debian.install('user');
      assert.equal(status, 0, output);
      assert.doesNotMatch(output, /EBADENGINE/);
    });
    await t.test('npm start', async () => {
      const { status, output } = await debian.run('user', `set -e\n${DEMO}`);
      assert.equal(status, 0, output);
      assert.match(output, /"name":"setpoint"[^]*^ended$/m);
      // Nothing of the tools that build the console, only what npm prints of each script.
      assert.match(output, /^first line: Starting \.\.\.$/m);
    });
    await t.test('npm start without the runtime is one sentence', async () => {
      const script = 'mv node_modules/node-linux-* . && ! npm start -s; mv node-linux-* node_modules';
      const { status, output } = await debian.run('user', script);
      assert.equal(status, 0, output);
      assert.match(output, /^penstock: the Node\.js runtime \S+ is missing; .+$/m);
      assert.doesNotMatch(output, /^ +at /m);
    });
    // The same sources and tools: once is enough.
    if (release !== 'bookworm') return;
    await t.test(
      'tests that could use a tool pass or are skipped, and the command that installs what they lack is named',
      async () => {
        const { status, output } = await debian.run('user', `npm run -s test:files -- ${TESTS}`);
        assert.equal(status, 0, output);
        assert.match(output, /^\d+ tests were skipped for want of tools/m);
        const named = findNamedPackages(output);
        const missing = await listMissingPackages(debian);
        assert.ok(named.length > 10, output);
        // In the order of the command that installs all; what only other tests need is left out.
        assert.deepEqual(
          named,
          missing.filter((name) => named.includes(name)),
        );
      },
    );
  });
}
