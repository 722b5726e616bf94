import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { NotFound } from '../../../../daemon/base/errors.ts';
import { YamlReader } from '../../../../daemon/settings/yaml-reader.ts';
import { TemplateLibrary } from '../../../../daemon/plant/template/template-library.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import { METER } from './template-fixture.ts';

function setUp(t: TestContext) {
  const root = createTemporaryDirectory(t);
  const [own, shipped, packaged] = ['own', 'shipped', 'packaged'].map((name) => path.join(root, name));
  for (const folder of [own, shipped, packaged]) mkdirSync(folder ?? '');
  const packagedFiles: string[] = [];
  const library = new TemplateLibrary({
    directories: [own ?? '', path.join(root, 'missing'), shipped ?? ''],
    listPackagedFiles: () => Promise.resolve(packagedFiles),
    yaml: new YamlReader(),
  });
  const write = (folder: string, file: string, content: unknown): string => {
    const target = path.join(root, folder, file);
    // JSON is YAML.
    writeFileSync(target, typeof content === 'string' ? content : JSON.stringify(content, null, 1));
    return target;
  };
  return { library, write, packagedFiles };
}

test('a library lists the templates of all directories and packages by name', async (t) => {
  const { library, write, packagedFiles } = setUp(t);
  write('shipped', 'zeta.yaml', { ...METER, name: 'zeta' });
  write('own', 'alpha.yaml', { ...METER, name: 'alpha' });
  packagedFiles.push(write('packaged', 'mid.yaml', { ...METER, name: 'mid' }));
  const { templates, unusable } = await library.list();
  assert.deepEqual([templates.map(({ name }) => name), unusable], [['alpha', 'mid', 'zeta'], []]);
});

test('a template of the first directory counts before one of the same name in later ones and in packages', async (t) => {
  const { library, write, packagedFiles } = setUp(t);
  packagedFiles.push(write('packaged', 'meter.yaml', { ...METER, name: 'meter', title: 'packaged' }));
  write('shipped', 'meter.yaml', { ...METER, name: 'meter', title: 'shipped' });
  assert.equal((await library.get('meter')).template.title, 'shipped');
  write('own', 'meter.yaml', { ...METER, name: 'meter', title: 'own' });
  assert.equal((await library.get('meter')).template.title, 'own');
});

test('a library lists files that give no template with line and reason, and the others all the same', async (t) => {
  const { library, write } = setUp(t);
  write('own', 'good.yaml', { ...METER, name: 'good' });
  write('own', 'broken.yaml', 'name: [');
  write('own', 'other.yaml', { ...METER, name: 'called-otherwise' });
  write('own', 'typo.yaml', { ...METER, name: 'typo', titel: 'x' });
  write('own', 'Bad Name.yaml', METER);
  write('own', 'large.yaml', `# ${'x'.repeat(300_000)}`);
  write('own', 'notes.txt', 'no template');
  const { templates, unusable } = await library.list();
  assert.deepEqual(
    templates.map(({ name }) => name),
    ['good'],
  );
  const faults = Object.fromEntries(
    unusable.map(({ file, faults: found }) => [file, found.map(({ message }) => message).join('\n')]),
  );
  const codes = unusable.flatMap(({ faults: found }) =>
    found.map(({ reasons = [] }) => reasons.map(({ code }) => code).join()),
  );
  assert.deepEqual(codes.toSorted(), [
    'EXPECTED_AT_MOST_BYTES',
    'FILE_NAME_DIFFERENT',
    'FILE_NAME_UNSUITABLE',
    'IN_LINE,KEY_UNKNOWN,KEY_SIMILAR',
    'NO_YAML,YAML_BAD_INDENT',
  ]);
  assert.deepEqual(Object.keys(faults).sort(), [
    'Bad Name.yaml',
    'broken.yaml',
    'large.yaml',
    'other.yaml',
    'typo.yaml',
  ]);
  assert.match(faults['broken.yaml'] ?? '', /^line \d+: /);
  assert.match(faults['other.yaml'] ?? '', /called called-otherwise\.yaml/);
  assert.match(faults['typo.yaml'] ?? '', /^line \d+: titel: .*did you mean "title"/);
  assert.match(faults['large.yaml'] ?? '', /at most 262144 bytes/);
});

test('a library reads a template together with those that it includes', async (t) => {
  const { library, write } = setUp(t);
  write('own', 'outer.yaml', { ...METER, name: 'outer', channels: [{ template: 'inner' }] });
  write('shipped', 'inner.yaml', { ...METER, name: 'inner' });
  const loaded = await library.load(['outer'], {});
  assert.deepEqual(Object.keys(loaded.contents), ['inner', 'outer']);
  assert.equal(loaded.expand('outer', {}).value?.[0]?.channel['name'], 'power');
});

test('an unknown template is refused with the name that may be meant', async (t) => {
  const { library, write } = setUp(t);
  write('own', 'meter.yaml', { ...METER, name: 'meter' });
  await assert.rejects(library.get('metre'), (error) => {
    assert.ok(error instanceof NotFound);
    assert.equal(error.code, 'TEMPLATE_UNKNOWN');
    assert.match(error.detail, /did you mean "meter"/);
    return true;
  });
  const { faults } = (await library.load(['metre'], {})).expand('metre', {});
  assert.deepEqual(
    faults?.map(({ path: place, message }) => [place, message]),
    [[['template'], 'unknown template "metre"; did you mean "meter"?']],
  );
});

test('a name that leads to another directory is unknown', async (t) => {
  const { library, write } = setUp(t);
  write('packaged', 'secret.yaml', { ...METER, name: 'secret' });
  await assert.rejects(library.get('../packaged/secret'), NotFound);
});

test('a template with faults says them where it is used', async (t) => {
  const { library, write } = setUp(t);
  write('own', 'meter.yaml', { ...METER, name: 'meter', titel: 'x' });
  const { faults } = (await library.load(['meter'], {})).expand('meter', {});
  assert.match(faults?.[0]?.message ?? '', /template "meter" cannot be used: line \d+: titel: is not/);
  assert.deepEqual(
    faults?.[0]?.reasons?.map(({ code }) => code),
    ['TEMPLATE_UNUSABLE', 'IN_LINE', 'KEY_UNKNOWN', 'KEY_SIMILAR'],
  );
});

test('a kept content counts while the template is gone or has faults, and no longer', async (t) => {
  const { library, write } = setUp(t);
  const kept = { meter: { ...METER, name: 'meter', title: 'kept' } };
  const gone = await library.load(['meter'], kept);
  assert.deepEqual([gone.find('meter')?.title, gone.keptNames], ['kept', ['meter']]);
  write('own', 'meter.yaml', 'name: [');
  assert.equal((await library.load(['meter'], kept)).find('meter')?.title, 'kept');
  write('own', 'meter.yaml', { ...METER, name: 'meter', title: 'new' });
  const back = await library.load(['meter'], kept);
  assert.deepEqual([back.find('meter')?.title, back.keptNames], ['new', []]);
});
