import { createFault, createReason, placeFault, prefixFault } from '../base/fault-reason.ts';
import { CONFIGURATION_FAULTS } from './fault-sentences.ts';
import { CHANNEL_FAULTS } from '../channel/fault-sentences.ts';
import { formatPath } from '../base/schema.ts';
import type { Checked, Fault } from '../base/schema.ts';
import type { Slices } from '../base/slices.ts';
import type { TemplateChannel, TemplateSet } from './asset-templates.ts';
import { checkDocument, isDocument } from './managed-document.ts';
import type { DocumentCheck, ManagedConfiguration, ManagedDocument } from './managed-document.ts';
import type { DriverFactory } from '../channel/driver.ts';

/** Document with the channels of all templates expanded. */
interface ExpandedDocument {
  readonly document: ManagedDocument;
  /** Errors in templates and their parameters, with paths of the original document. */
  readonly faults: readonly Fault[];
  /** Maps the error of an expanded channel to the original document; it names the template. */
  readonly relocate: (fault: Fault) => Fault;
}

/** Origin of a channel: the asset's own list, the template, or both. */
interface Origin {
  /** Position in the list of the asset. */
  readonly own?: number | undefined;
  /** Keys that the list of the asset gives. */
  readonly ownKeys?: ReadonlySet<string>;
  readonly place?: TemplateChannel['place'] | undefined;
}

// As many as an asset may list: a short text must not expand to millions.
const MAXIMUM_CHANNELS = 100_000;

/**
 * Expands the templates of all assets. A channel in the asset's own list overrides fields of the channel of the same name (its
 * address as a whole) or is appended.
 *
 * @param document plain data, unchecked; not modified
 */
function* expandAssets(document: ManagedDocument, templates: TemplateSet): Slices<ExpandedDocument> {
  const assets = document['assets'];
  if (!Array.isArray(assets)) return { document, faults: [], relocate: (fault) => fault };
  const expansion = new Expansion(templates, listDriverKinds(document['drivers']));
  const expanded: unknown[] = [];
  for (const [index, asset] of (assets as readonly unknown[]).entries()) {
    yield;
    expanded.push(isDocument(asset) ? expansion.expand(asset, index) : asset);
  }
  return {
    document: { ...document, assets: expanded },
    faults: expansion.faults,
    relocate: (fault) => relocateFault(expansion.originsOf, fault),
  };
}

/** The expansion of the assets of one document. */
class Expansion {
  readonly faults: Fault[] = [];
  /** Origins of the channels of each expanded asset, by its position. */
  readonly originsOf = new Map<number, readonly Origin[]>();
  readonly #templates: TemplateSet;
  readonly #kindOf: ReadonlyMap<unknown, unknown>;
  #count = 0;

  constructor(templates: TemplateSet, kindOf: ReadonlyMap<unknown, unknown>) {
    this.#templates = templates;
    this.#kindOf = kindOf;
  }

  /** Returns the asset with all its channels; unchanged when its template cannot be expanded. */
  expand(asset: ManagedDocument, index: number): ManagedDocument {
    const { template, parameters, channels: own = [] } = asset;
    if (template === undefined && parameters !== undefined) {
      this.#report(
        index,
        createFault(['parameters'], createReason(CONFIGURATION_FAULTS, 'PARAMETERS_WITHOUT_TEMPLATE', {})),
      );
    }
    // The check of the asset refuses anything else than a name and a list.
    if (typeof template !== 'string' || !Array.isArray(own)) return asset;
    const { value = [], faults = [] } = this.#templates.expand(template, parameters);
    for (const fault of [...faults, ...this.#checkKind(template, asset['driver'])])
      this.#report(index, fault);
    const isFirstTooMany = this.#count <= MAXIMUM_CHANNELS;
    this.#count += value.length;
    if (this.#count > MAXIMUM_CHANNELS) {
      const reason = createReason(CONFIGURATION_FAULTS, 'TEMPLATES_TOO_LARGE', { bound: MAXIMUM_CHANNELS });
      if (isFirstTooMany) this.#report(index, createFault(['template'], reason));
      return asset;
    }
    const { channels, origins } = mergeChannels(value, own as readonly unknown[]);
    this.originsOf.set(index, origins);
    return { ...asset, channels };
  }

  #report(index: number, fault: Fault): void {
    this.faults.push(placeFault(['assets', index], fault));
  }

  /** A template of another driver type would cause an error in every channel. */
  #checkKind(template: string, driver: unknown): readonly Fault[] {
    const wanted = this.#templates.find(template)?.driver;
    const kind = this.#kindOf.get(driver);
    if (wanted === undefined || typeof kind !== 'string' || wanted === kind) return [];
    const reason = createReason(CONFIGURATION_FAULTS, 'TEMPLATE_OF_OTHER_TYPE', {
      template,
      wanted,
      type: kind,
    });
    return [createFault(['template'], reason)];
  }
}

function listDriverKinds(drivers: unknown): ReadonlyMap<unknown, unknown> {
  if (!Array.isArray(drivers)) return new Map();
  return new Map(
    (drivers as readonly unknown[]).filter(isDocument).map(({ pid, type }) => [pid, type] as const),
  );
}

function mergeChannels(
  expanded: readonly TemplateChannel[],
  own: readonly unknown[],
): { readonly channels: readonly unknown[]; readonly origins: readonly Origin[] } {
  const ownOf = new Map<unknown, number>();
  for (const [index, channel] of own.entries()) {
    const name = isDocument(channel) ? channel['name'] : undefined;
    // Of two with one name the second stays in the list, where it is refused.
    if (typeof name === 'string' && !ownOf.has(name)) ownOf.set(name, index);
  }
  const used = new Set<number>();
  const merged = expanded.map(({ channel, place }) => {
    const index = ownOf.get(channel['name']);
    const change = index === undefined || used.has(index) ? undefined : own[index];
    if (index === undefined || !isDocument(change)) return { channel, origin: { place } };
    used.add(index);
    const origin: Origin = { place, own: index, ownKeys: new Set(Object.keys(change)) };
    return { channel: { ...channel, ...change }, origin };
  });
  const others = own.flatMap((channel, index) =>
    used.has(index) ? [] : [{ channel, origin: { own: index } satisfies Origin }],
  );
  const all: readonly { readonly channel: unknown; readonly origin: Origin }[] = [...merged, ...others];
  return { channels: all.map(({ channel }) => channel), origins: all.map(({ origin }) => origin) };
}

function relocateFault(originsOf: ReadonlyMap<number, readonly Origin[]>, fault: Fault): Fault {
  const [section, asset, list, channel, ...inside] = fault.path;
  const origins = section === 'assets' && typeof asset === 'number' ? originsOf.get(asset) : undefined;
  if (origins === undefined || list !== 'channels' || typeof channel !== 'number') return fault;
  const { own, ownKeys, place } = origins[channel] ?? {};
  const isOwn = place === undefined || (ownKeys?.has(String(inside[0])) ?? false);
  if (own !== undefined && isOwn) {
    return { ...fault, path: ['assets', asset ?? 0, 'channels', own, ...inside] };
  }
  const { template = '', path = [] } = place ?? {};
  const where = createReason(CHANNEL_FAULTS, 'IN_TEMPLATE', {
    template,
    place: formatPath([...path, ...inside]),
  });
  return { ...prefixFault(fault, where), path: ['assets', asset ?? 0, 'template'] };
}

/**
 * Expands the templates of a document, and checks the result as a whole.
 *
 * @param value plain data; every section may be absent
 * @param options see `checkDocument`
 * @returns the configuration with the expanded channels; or all errors, with their paths in `value`
 */
export function* checkTemplated(
  factories: readonly DriverFactory[],
  templates: TemplateSet,
  value: unknown,
  options?: DocumentCheck,
): Slices<Checked<ManagedConfiguration>> {
  if (!isDocument(value)) return yield* checkDocument(factories, value);
  const { document, faults, relocate } = yield* expandAssets(value, templates);
  const checked = yield* checkDocument(factories, document, options);
  if (faults.length === 0 && checked.faults === undefined) return checked;
  return { faults: [...faults, ...(checked.faults ?? []).map(relocate)] };
}
