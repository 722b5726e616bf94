import assert from 'node:assert/strict';
import { test } from 'node:test';

import { YamlError } from '../../../daemon/settings/yaml-document.ts';
import { findPosition } from '../../../daemon/settings/yaml-positions.ts';
import { INLINE_BYTES, YamlReader } from '../../../daemon/settings/yaml-reader.ts';

const readYaml = (bytes: Uint8Array) => new YamlReader().read(bytes);
const LONG_COMMENT = `# ${'x'.repeat(INLINE_BYTES)}\n`;

test('YamlReader reads long texts as it reads short ones', async () => {
  const text = 'a: [1, 2.5, .nan, -.inf, true, null, "ä€"]\nb: {c: no}\n__proto__: {d: 1}\n';
  const short = await readYaml(Buffer.from(text));
  const long = await readYaml(Buffer.from(`${text}${LONG_COMMENT}`));
  assert.deepEqual(long.value, short.value);
  assert.deepEqual(Object.keys(long.value as object), ['a', 'b', '__proto__']);
  assert.deepEqual(findPosition(long.value, long.positions, ['b', 'c']), { line: 2, column: 5 });
});

test('YamlReader reports the error in a long text, and its position', async () => {
  const faulty = Buffer.from(`${LONG_COMMENT}a: 1\na: 2\n`);
  await assert.rejects(readYaml(faulty), (error: unknown) => {
    assert.ok(error instanceof YamlError);
    assert.deepEqual(error.position, { line: 3, column: 1 });
    assert.deepEqual([error.reason.code, error.reason.parameters], ['YAML_KEY_REPEATED', { key: 'a' }]);
    return true;
  });
});

test('YamlReader refuses a text that would exceed its memory limit, and continues with the next', async () => {
  const dense = Buffer.from(`[${'0,'.repeat(900_000)}0]`);
  const next = Buffer.from(`a: 1\n${LONG_COMMENT}`);
  const yaml = new YamlReader();
  const [refused, read] = await Promise.allSettled([yaml.read(dense), yaml.read(next)]);
  assert.match(String((refused as PromiseRejectedResult).reason), /too large to parse as one text/);
  assert.equal(read.status, 'fulfilled');
});

test('YamlReader refuses at once a text that is far too large', async () => {
  for (const text of [`[${'0,'.repeat(1_500_000)}0]`, '\n'.repeat(1_500_000)]) {
    await assert.rejects(readYaml(Buffer.from(text)), /too large to parse as one text/);
  }
  await assert.rejects(readYaml(Buffer.alloc(17_000_000, 'x')), /longer than/);
});

test('YamlReader keeps a bounded number of long texts waiting', async () => {
  const text = Buffer.from(`a: 1\n${LONG_COMMENT}`);
  const yaml = new YamlReader();
  const results = await Promise.allSettled(Array.from({ length: 12 }, () => yaml.read(text)));
  const refused = results.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
  assert.equal(refused.length, 4);
  assert.ok(refused.every(({ reason }) => (reason as { code?: unknown }).code === 'YAML_QUEUE_FULL'));
});
