import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const ROOT = path.resolve(import.meta.dirname, '../../bundles');

interface Described {
  readonly title?: string;
  readonly description?: string;
  readonly properties: Readonly<Record<string, Described>>;
}

const read = (bundle: string, file: string): Described =>
  JSON.parse(readFileSync(path.join(ROOT, bundle, file), 'utf8')) as Described;
const placesIn = (text = ''): readonly string[] => (text.match(/\{\w+\}/g) ?? []).toSorted();

for (const bundle of ['penstock-mqtt', 'penstock-sparkplug']) {
  test(`every setting of ${bundle} has German words for its title and its description`, () => {
    const english = read(bundle, 'settings.schema.json');
    const german = read(bundle, 'settings.schema.de.json');
    assert.deepEqual(Object.keys(german.properties), Object.keys(english.properties));
    for (const [name, { title, description }] of Object.entries(english.properties)) {
      const words = german.properties[name];
      assert.equal(words?.title === undefined, title === undefined, name);
      assert.equal(words?.description === undefined, description === undefined, name);
      assert.deepEqual(placesIn(words?.description), placesIn(description), name);
    }
  });
}
