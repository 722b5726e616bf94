import { UnreadableSecret, toSealed } from '../../base/key/secret-key.ts';
import type { SecretKey } from '../../base/key/secret-key.ts';
import type { DriverFactory } from '../../channel/driver.ts';
import type { ConfigurableBundle } from '../bundle-section.ts';
import { describeDocument, describeSchema } from '../document-schema.ts';
import type { JsonSchema } from '../document-schema.ts';
import { isDocument } from '../managed-document.ts';
import type { ManagedDocument } from '../managed-document.ts';
import { mapSecrets } from './secrets.ts';

const PURPOSE = 'configuration';
const MAY_HAVE_SECRETS = ['drivers', 'assets', 'bundles'];
const RECORD = '"$sealed":"';

/** Encrypts each secret of a stored document separately: a lost key costs only the secrets. */
export class StoredSecrets {
  readonly #key: SecretKey;
  readonly #factories: () => readonly DriverFactory[];
  readonly #bundles: () => readonly ConfigurableBundle[];
  #known:
    | {
        readonly types: readonly (DriverFactory | ConfigurableBundle)[];
        readonly locations: SecretLocations;
      }
    | undefined;

  /**
   * @param factories returns every kind of driver that there is; their schemas mark what is secret
   * @param bundles returns the installed bundles that have settings
   */
  constructor(
    key: SecretKey,
    factories: () => readonly DriverFactory[],
    bundles: () => readonly ConfigurableBundle[] = () => [],
  ) {
    this.#key = key;
    this.#factories = factories;
    this.#bundles = bundles;
  }

  /** Returns a document with each secret replaced by an encrypted record; parts without secrets stay the same objects. */
  seal(document: ManagedDocument): ManagedDocument {
    return this.#map(document, (secret) => {
      if (secret === undefined || secret === null || secret instanceof UnreadableSecret) return secret;
      return toSealed(this.#key.seal(JSON.stringify(secret), PURPOSE));
    });
  }

  /** Reads a document of the store; a secret that cannot be read is an {@link UnreadableSecret}. */
  parse(text: string): unknown {
    const document: unknown = JSON.parse(text);
    const opening = new Opening(this.#key, text.split(RECORD).length - 1);
    if (!isDocument(document)) return opening.walk(document);
    // Assets are many, and hardly ever hold secrets: last, and only while some are missing.
    const { assets, ...others } = document;
    const opened = opening.walk(others) as ManagedDocument;
    return assets === undefined ? opened : { ...document, ...opened, assets: opening.walk(assets) };
  }

  /** Returns a document whose secrets are replaced by digests that only the key can compare. */
  mask(document: ManagedDocument): ManagedDocument {
    return this.#map(document, (secret) => ({
      digest: this.#key.fingerprint(JSON.stringify(secret ?? null)),
    }));
  }

  #map(document: ManagedDocument, replace: (secret: unknown) => unknown): ManagedDocument {
    if (!MAY_HAVE_SECRETS.some((section) => document[section] !== undefined)) return document;
    const { schema, sections } = this.#findLocations();
    const mapped = Object.entries(document).map(([section, content]) =>
      sections.has(section)
        ? ([section, mapSecrets(schema, { [section]: content }, replace)[section]] as const)
        : ([section, content] as const),
    );
    return Object.fromEntries(mapped);
  }

  // The same for each of thousands of origins.
  #findLocations(): SecretLocations {
    const factories = this.#factories();
    const bundles = this.#bundles();
    const types = [...factories, ...bundles];
    const isKnown =
      this.#known?.types.length === types.length &&
      this.#known.types.every((type, index) => type === types[index]);
    if (this.#known === undefined || !isKnown) {
      const inAddresses = factories.some(({ addressSchema }) =>
        JSON.stringify(describeSchema(addressSchema)).includes('"writeOnly":true'),
      );
      const sections = new Set(inAddresses ? MAY_HAVE_SECRETS : ['drivers', 'bundles']);
      this.#known = {
        types,
        locations: { schema: describeDocument(factories, bundles), sections },
      };
    }
    return this.#known.locations;
  }
}

/** Locations of secrets in documents. */
interface SecretLocations {
  readonly schema: JsonSchema;
  readonly sections: ReadonlySet<string>;
}

function isRecord(value: unknown): value is { readonly $sealed: string } {
  return isDocument(value) && Object.keys(value).length === 1 && typeof value['$sealed'] === 'string';
}

class Opening {
  readonly #key: SecretKey;
  #left: number;

  /** @param left records that there are at most */
  constructor(key: SecretKey, left: number) {
    this.#key = key;
    this.#left = left;
  }

  /** Returns the value with its records opened; parts without any stay the same objects. */
  walk(value: unknown): unknown {
    if (this.#left === 0 || typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      const items = value as readonly unknown[];
      const opened = items.map((item) => this.walk(item));
      return opened.some((item, index) => item !== items[index]) ? opened : value;
    }
    if (isRecord(value)) return this.#open(value.$sealed);
    const fields = Object.entries(value).map(([key, field]) => [key, field, this.walk(field)] as const);
    if (fields.every(([, field, opened]) => field === opened)) return value;
    return Object.fromEntries(fields.map(([key, , opened]) => [key, opened]));
  }

  #open(record: string): unknown {
    this.#left -= 1;
    const text = this.#key.open(record, PURPOSE);
    return text === undefined ? new UnreadableSecret(record) : JSON.parse(text);
  }
}
