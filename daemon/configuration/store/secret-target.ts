import { createFault, createReason } from '../../base/fault-reason.ts';
import { CONFIGURATION_FAULTS } from '../fault-sentences.ts';
import { isDeepStrictEqual } from 'node:util';

import { driverHeadSchema } from '../../plant/asset/plant-config.ts';
import { check } from '../../base/schema.ts';
import type { Fault, z } from '../../base/schema.ts';
import type { Slices } from '../../base/slices.ts';
import type { DriverFactory } from '../../channel/driver.ts';
import type { ConfigurableBundle } from '../bundle-section.ts';
import { describeDocument, describeSchema } from '../document-schema.ts';
import { isDocument } from '../managed-document.ts';
import type { ManagedDocument } from '../managed-document.ts';
import { SchemaNode } from '../schema-node.ts';
import { keepSecrets } from './secrets.ts';

/** Requested document and the active one. */
interface WantedDocument {
  /** All driver types. */
  readonly factories: readonly DriverFactory[];
  /** Installed bundles that have settings. */
  readonly bundles?: readonly ConfigurableBundle[] | undefined;
  /** May contain secret markers. */
  readonly document: unknown;
  readonly former: unknown;
}

/**
 * Replaces each marker with the stored secret, unless the secret would be sent to another target than before.
 *
 * A kind of driver marks the settings that make its target with `TARGET` in its schema; where it marks none, their names decide.
 * Settings with their defaults filled in are compared: to state a default changes no target. Works item by item.
 *
 * @returns the document, and an error for each marker without a stored secret or with one of another target
 */
export function* restoreSecrets({
  factories,
  bundles = [],
  document: wanted,
  former,
}: WantedDocument): Slices<{ readonly document: unknown; readonly faults: readonly Fault[] }> {
  const { document, faults, kept } = yield* keepSecrets(describeDocument(factories, bundles), wanted, former);
  const targets = new Targets({ factories, bundles, document, former });
  const moved = kept.flatMap((path) => {
    const [section, index] = path;
    const changed =
      section === 'assets'
        ? targets.listChangedOfChannel(path)
        : section === 'bundles'
          ? targets.listChangedOfBundle(index)
          : targets.listChangedOfDriver(index);
    if (changed.length === 0) return [];
    const [secret] = path.slice(-1);
    const code = section === 'bundles' ? 'SECRET_OF_OTHER_BUNDLE_TARGET' : 'SECRET_OF_OTHER_DRIVER_TARGET';
    return [createFault(path, createReason(CONFIGURATION_FAULTS, code, { changed, secret: String(secret) }))];
  });
  return { document, faults: [...faults, ...moved] };
}

class Targets {
  readonly #factories: readonly DriverFactory[];
  readonly #bundles: readonly ConfigurableBundle[];
  readonly #document: unknown;
  readonly #former: unknown;

  constructor({ factories, bundles = [], document, former }: WantedDocument) {
    this.#factories = factories;
    this.#bundles = bundles;
    this.#document = document;
    this.#former = former;
  }

  /** Lists the changed target settings of a bundle. */
  listChangedOfBundle(index: unknown): readonly string[] {
    const bundle = listItems(this.#document, 'bundles')[Number(index)];
    const before = findNamed(listItems(this.#former, 'bundles'), bundle);
    const schema = this.#bundles.find(({ name }) => name === fieldOf(bundle, 'pid'))?.settingsSchema;
    return listChanged(schema, fieldOf(before, 'settings'), fieldOf(bundle, 'settings'));
  }

  /** Lists the changed target settings of a driver. */
  listChangedOfDriver(index: unknown): readonly string[] {
    const driver = listItems(this.#document, 'drivers')[Number(index)];
    return this.#compareDrivers(findNamed(listItems(this.#former, 'drivers'), driver), driver);
  }

  /** Lists the changed target settings of a secret in an address: those of the address and of the asset's driver. */
  listChangedOfChannel([, index, , channelIndex]: Fault['path']): readonly string[] {
    const asset = listItems(this.#document, 'assets')[Number(index)];
    const formerAsset = findNamed(listItems(this.#former, 'assets'), asset);
    const driverOf = (document: unknown, pid: unknown): unknown =>
      listItems(document, 'drivers').find((each) => fieldOf(each, 'pid') === pid);
    const [before, after] = [fieldOf(formerAsset, 'driver'), fieldOf(asset, 'driver')];
    if (before !== after) return ['driver'];
    const driver = driverOf(this.#document, after);
    const channel = listItems(asset, 'channels')[Number(channelIndex)];
    const formerChannel = findNamed(listItems(formerAsset, 'channels'), channel);
    return [
      ...this.#compareDrivers(driverOf(this.#former, before), driver),
      ...listChanged(
        this.#findFactory(driver)?.addressSchema,
        fieldOf(formerChannel, 'address'),
        fieldOf(channel, 'address'),
      ),
    ];
  }

  #compareDrivers(before: unknown, after: unknown): readonly string[] {
    if (fieldOf(before, 'type') !== fieldOf(after, 'type')) return ['type'];
    const schema = this.#findFactory(after)?.configSchema;
    return listChanged(schema, withoutHead(before), withoutHead(after));
  }

  #findFactory(driver: unknown): DriverFactory | undefined {
    return this.#factories.find(({ type }) => type === fieldOf(driver, 'type'));
  }
}

function listChanged(schema: z.ZodType | undefined, before: unknown, after: unknown): readonly string[] {
  const [one, other] = [readTarget(schema, before), readTarget(schema, after)];
  return [...new Set([...one.keys(), ...other.keys()])].filter(
    (name) => !isDeepStrictEqual(one.get(name), other.get(name)),
  );
}

/** Returns the target settings by their dotted names. */
function readTarget(schema: z.ZodType | undefined, settings: unknown): ReadonlyMap<string, unknown> {
  const description = schema === undefined ? undefined : describeSchema(schema);
  const node = new SchemaNode(description === undefined ? [] : [description]);
  const isMarked = JSON.stringify(description ?? {}).includes('"x-target":true');
  const target = new Map<string, unknown>();
  const walk = (value: unknown, here: SchemaNode, path: string): void => {
    for (const [key, field] of Object.entries(isDocument(value) || Array.isArray(value) ? value : {})) {
      const inside = Array.isArray(value) ? here.items : here.field(key);
      const name = path === '' ? key : `${path}.${key}`;
      if (isMarked ? inside.isTarget : isTargetName(key) && !inside.isSecret) target.set(name, field);
      else walk(field, inside, name);
    }
  };
  walk((schema && check(schema, settings).value) ?? settings, node, '');
  return target;
}

const TARGET_WORDS: ReadonlySet<string | undefined> = new Set(
  'host hostname ip address port url uri endpoint server broker device gateway proxy domain transport'.split(
    ' ',
  ),
);

/** True if a setting's name suggests a connection target: `brokerUrl`, `server_name`, `hosts`. */
function isTargetName(name: string): boolean {
  const words = name
    .split(/[_-]|(?<=[a-z\d])(?=[A-Z])/)
    .map((word) => word.toLowerCase().replace(/(?<=[^s])s$/, ''));
  return TARGET_WORDS.has(words.at(-1)) || (words.at(-1) === 'name' && TARGET_WORDS.has(words.at(-2)));
}

const HEAD: ReadonlySet<string> = new Set(Object.keys(driverHeadSchema.shape));

function withoutHead(driver: unknown): ManagedDocument {
  return Object.fromEntries(
    Object.entries(isDocument(driver) ? driver : {}).filter(([key]) => !HEAD.has(key)),
  );
}

function listItems(holder: unknown, key: string): readonly unknown[] {
  const items = fieldOf(holder, key);
  return Array.isArray(items) ? (items as readonly unknown[]) : [];
}

/** Returns the item of a stored list that has the pid or name of another. */
function findNamed(items: readonly unknown[], wanted: unknown): unknown {
  const nameOf = (item: unknown): unknown => fieldOf(item, 'pid') ?? fieldOf(item, 'name');
  return items.find((item) => nameOf(item) === nameOf(wanted));
}

function fieldOf(holder: unknown, key: string): unknown {
  return isDocument(holder) ? holder[key] : undefined;
}
