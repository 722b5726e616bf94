import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { serialize } from 'node:v8';

import { YamlCache } from '../../../daemon/settings/yaml-cache.ts';
import { loadSettingsFile } from '../../../daemon/settings/settings-file.ts';
import { parseYaml } from '../../../daemon/settings/yaml-document.ts';
import { INLINE_BYTES, YamlReader } from '../../../daemon/settings/yaml-reader.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import type { Owner } from '../../support/temporary-directory.ts';

const SHORT = Buffer.from('name: short\n');
const LONG = Buffer.from(`# ${'x'.repeat(INLINE_BYTES)}\nname: long\n`);
const OTHER = serialize({ document: parseYaml(Buffer.from('name: kept\n')) });

function open(t: Owner): { readonly folder: string; readonly parsed: YamlCache } {
  const folder = path.join(createTemporaryDirectory(t), 'settings');
  return { folder, parsed: new YamlCache(folder, '1.2.3') };
}

test('a long file is read as it was kept; a request with the same text, and a short file, are not', async (t) => {
  const { parsed } = open(t);
  await parsed.store(LONG, OTHER);
  await parsed.store(SHORT, OTHER);
  const yaml = new YamlReader(parsed);
  assert.deepEqual((await yaml.readFile(LONG)).value, { name: 'kept' });
  assert.deepEqual((await yaml.read(LONG)).value, { name: 'long' });
  assert.deepEqual((await yaml.readFile(SHORT)).value, { name: 'short' });
});

test('what a long file was read as is kept for its owner alone, with the places of its parts', async (t) => {
  const { folder, parsed } = open(t);
  const first = await new YamlReader(parsed).readFile(LONG);
  const [name = ''] = await readdir(folder);
  assert.equal((await stat(path.join(folder, name))).mode & 0o077, 0);
  assert.equal((await stat(folder)).mode & 0o077, 0);
  assert.ok(await parsed.find(LONG));
  assert.deepEqual(await new YamlReader(parsed).readFile(LONG), first);
  assert.deepEqual(first, parseYaml(LONG));
});

test('a text with a fault is not kept, and is refused again', async (t) => {
  const { folder, parsed } = open(t);
  const yaml = new YamlReader(parsed);
  const faulty = Buffer.concat([LONG, Buffer.from('name: "\n')]);
  for (let turn = 0; turn < 2; turn += 1)
    await assert.rejects(yaml.readFile(faulty), { code: 'YAML_INVALID' });
  await assert.rejects(readdir(folder), { code: 'ENOENT' });
});

test('what is damaged, cut off or of another version counts as not kept', async (t) => {
  const { folder, parsed } = open(t);
  await parsed.store(LONG, OTHER);
  assert.equal(await new YamlCache(folder, '1.2.4').find(LONG), undefined);
  const [name = ''] = await readdir(folder);
  const file = path.join(folder, name);
  const sound = await readFile(file);
  for (const damaged of [
    sound.subarray(0, -1),
    sound.subarray(0, 10),
    Buffer.alloc(0),
    sound.map((byte) => byte ^ 1),
  ]) {
    await writeFile(file, damaged);
    assert.equal(await parsed.find(LONG), undefined);
    assert.deepEqual((await new YamlReader(parsed).readFile(LONG)).value, { name: 'long' });
  }
  assert.deepEqual((await new YamlReader(parsed).readFile(LONG)).value, { name: 'long' });
});

test('where nothing can be kept, files are read all the same', async (t) => {
  const folder = path.join(createTemporaryDirectory(t), 'file');
  await writeFile(folder, '');
  const yaml = new YamlReader(new YamlCache(path.join(folder, 'settings'), '1.2.3'));
  assert.deepEqual((await yaml.readFile(LONG)).value, { name: 'long' });
  await yaml.forgetOtherFiles();
});

test('what a file held is forgotten with the file', async (t) => {
  const { folder, parsed } = open(t);
  const directory = createTemporaryDirectory(t);
  const [config, provision] = [path.join(directory, 'penstock.yaml'), path.join(directory, 'provision.d')];
  await writeFile(config, '# nothing\n');
  await mkdir(provision);
  const long = (name: string): string => `# ${'x'.repeat(INLINE_BYTES)}\nbanners: { beforeLogin: ${name} }\n`;
  for (const name of ['one', 'two']) await writeFile(path.join(provision, `${name}.yaml`), long(name));
  const yaml = new YamlReader(parsed);
  await loadSettingsFile(config, yaml);
  assert.equal((await readdir(folder)).length, 2);
  await rm(path.join(provision, 'one.yaml'));
  const { provisionSources } = await loadSettingsFile(config, yaml);
  assert.deepEqual(
    provisionSources.map(({ value }) => value),
    [{ banners: { beforeLogin: 'two' } }],
  );
  assert.equal((await readdir(folder)).length, 1);
});
