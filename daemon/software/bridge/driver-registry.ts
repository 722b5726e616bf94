import { Conflict, InvalidRequest } from '../../base/errors.ts';
import type { BundleSession } from '../bundle/bundle-host.ts';
import type { DriverFactory } from '../../channel/driver.ts';
import { createBridgedFactory } from './bridged-factory.ts';
import { parseDeclaration, restoreDeclaration, toLenient } from './driver-declaration.ts';
import type { DriverDeclaration, DriverSchemas } from './driver-declaration.ts';
import type { DriverKindStore } from './driver-kind-store.ts';
import type { DriverLinks } from './driver-links.ts';
import type { DriverRegistration } from './driver-registration.ts';

interface DriverRegistryOptions {
  /** Drivers of the gateway. */
  readonly builtIn: readonly DriverFactory[];
  readonly store: DriverKindStore;
  readonly links: DriverLinks;
  /** Returns whether a configuration that does not match the schemas of a bundle is accepted: while the gateway starts. */
  readonly isLenient: () => boolean;
  /** Returns whether a bundle of this symbolic name is installed; it then keeps its kinds. */
  readonly isPresent: (bundle: string) => boolean;
  /** Returns whether the configuration has a connection of a kind; the kind then stays known without its bundle. */
  readonly isUsed: (type: string) => boolean;
}

interface Kind {
  readonly declaration: DriverDeclaration;
  readonly strict: DriverFactory;
  readonly lenient: DriverFactory;
}

const TYPE = /^[a-z][a-z0-9.-]{0,63}$/;
// A share for each bundle, so that none locks out another one.
const MAXIMUM_KINDS_OF_BUNDLE = 32;

/** Holds every kind of driver that a configuration can name: those of the gateway and those of bundles. */
export class DriverRegistry {
  readonly #options: DriverRegistryOptions;
  readonly #kinds = new Map<string, Kind>();
  readonly #registrations = new Map<string, DriverRegistration>();

  constructor(options: DriverRegistryOptions) {
    this.#options = options;
    for (const declaration of options.store.list()) this.#add(declaration, restoreDeclaration(declaration));
  }

  /** Lists the kinds that are known, whether their bundle runs or not. */
  list(): readonly DriverFactory[] {
    const { builtIn, isLenient } = this.#options;
    const mode = isLenient() ? 'lenient' : 'strict';
    return [...builtIn, ...[...this.#kinds.values()].map((kind) => kind[mode])];
  }

  /** Returns the bundle that currently serves a kind; undefined when none does. */
  findRegistration(type: string): DriverRegistration | undefined {
    return this.#registrations.get(type);
  }

  /**
   * Registers a kind that a bundle serves from now on; it is stored when this resolves.
   *
   * @throws {InvalidRequest} `DRIVER_TYPE_INVALID`, `SCHEMA_NOT_SUPPORTED`
   * @throws {Conflict} `DRIVER_TYPE_TAKEN` when the gateway or another bundle has the kind, `DRIVER_TYPES_EXCEEDED`
   */
  async register(session: BundleSession, declaration: DriverDeclaration): Promise<void> {
    const { type, bundle } = declaration;
    if (!TYPE.test(type)) {
      const detail = 'expected a type of lower-case letters, digits, . and -';
      throw new InvalidRequest({ code: 'DRIVER_TYPE_INVALID', detail });
    }
    if (this.#isTaken(type, bundle)) {
      throw new Conflict({ code: 'DRIVER_TYPE_TAKEN', detail: `driver "${type}" already exists` });
    }
    const schemas = parseDeclaration(declaration);
    const replaced = this.#makePlace(declaration);
    // Before the file is written: no other bundle gets the type in between.
    this.#add(declaration, schemas);
    this.#registrations.set(type, { session, settings: schemas.settings });
    if (replaced.size > 0) await this.#options.store.remove(replaced);
    await this.#options.store.put(declaration);
  }

  /**
   * Removes the kinds of bundles that are no longer installed, except those that the configuration uses.
   *
   * @throws when they cannot be removed from the disk; they are no longer known in this run
   */
  async forgetRemoved(): Promise<void> {
    const { isPresent, store } = this.#options;
    const forgotten = this.#forget(({ bundle }) => !isPresent(bundle));
    if (forgotten.size > 0) await store.remove(forgotten);
  }

  /** Removes the registrations of a bundle; its kinds stay known. */
  withdraw(session: BundleSession): void {
    for (const [type, registration] of this.#registrations)
      if (registration.session === session) this.#registrations.delete(type);
  }

  /** Removes kinds that the bundle declared before and serves no longer, where it has no place for another one. */
  #makePlace({ type, bundle }: DriverDeclaration): ReadonlySet<string> {
    const others = (): number =>
      [...this.#kinds.values()].filter(
        ({ declaration }) => declaration.bundle === bundle && declaration.type !== type,
      ).length;
    if (others() < MAXIMUM_KINDS_OF_BUNDLE) return new Set();
    const forgotten = this.#forget((former) => former.bundle === bundle && former.type !== type);
    if (others() < MAXIMUM_KINDS_OF_BUNDLE) return forgotten;
    throw new Conflict({
      code: 'DRIVER_TYPES_EXCEEDED',
      detail: `a bundle registers at most ${MAXIMUM_KINDS_OF_BUNDLE} driver types`,
    });
  }

  /** Forgets the kinds that match, as far as none serves or uses them. */
  #forget(matches: (declaration: DriverDeclaration) => boolean): ReadonlySet<string> {
    const forgotten = new Set<string>();
    for (const [type, { declaration }] of this.#kinds) {
      if (this.#registrations.has(type) || this.#options.isUsed(type) || !matches(declaration)) continue;
      this.#kinds.delete(type);
      forgotten.add(type);
    }
    return forgotten;
  }

  #isTaken(type: string, bundle: string): boolean {
    const { builtIn, isPresent } = this.#options;
    if (builtIn.some((factory) => factory.type === type) || this.#registrations.has(type)) return true;
    const owner = this.#kinds.get(type)?.declaration.bundle;
    return owner !== undefined && owner !== bundle && isPresent(owner);
  }

  #add(declaration: DriverDeclaration, { settings, address }: DriverSchemas): void {
    const { links } = this.#options;
    const { type } = declaration;
    const create = (schemas: DriverSchemas): DriverFactory =>
      createBridgedFactory({ type, schemas, links, findRegistration: () => this.findRegistration(type) });
    this.#kinds.set(type, {
      declaration,
      strict: create({ settings, address }),
      lenient: create({ settings: toLenient(settings), address: toLenient(address) }),
    });
  }
}
