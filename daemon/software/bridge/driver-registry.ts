import { Conflict, InvalidRequest } from '../../base/errors.ts';
import type { BundleSession } from '../bundle/bundle-host.ts';
import type { DriverFactory } from '../../channel/driver.ts';
import { createBridgedFactory } from './bridged-factory.ts';
import { parseDeclaration, restoreDeclaration, toLenient } from './driver-declaration.ts';
import type { DriverDeclaration, DriverSchemas } from './driver-declaration.ts';
import type { DriverTypeStore } from './driver-type-store.ts';
import type { DriverLinks } from './driver-links.ts';
import type { DriverRegistration } from './driver-registration.ts';

interface DriverRegistryOptions {
  /** Built-in drivers of the gateway. */
  readonly builtIn: readonly DriverFactory[];
  readonly store: DriverTypeStore;
  readonly links: DriverLinks;
  /** Returns true if a configuration that does not match the schemas of a bundle is accepted: while the gateway starts. */
  readonly isLenient: () => boolean;
  /** Returns true if a bundle of this symbolic name is installed; its driver types are then retained. */
  readonly isPresent: (bundle: string) => boolean;
  /** Returns true if the configuration has a connection of a driver type; the type is then retained without its bundle. */
  readonly isUsed: (type: string) => boolean;
}

interface RegisteredType {
  readonly declaration: DriverDeclaration;
  readonly strict: DriverFactory;
  readonly lenient: DriverFactory;
}

const TYPE = /^[a-z][a-z0-9.-]{0,63}$/;
// A quota per bundle, so that none locks out another.
const MAXIMUM_TYPES_PER_BUNDLE = 32;

/** Every driver type that a configuration can name: built-in ones and those of bundles. */
export class DriverRegistry {
  readonly #options: DriverRegistryOptions;
  readonly #types = new Map<string, RegisteredType>();
  readonly #registrations = new Map<string, DriverRegistration>();

  constructor(options: DriverRegistryOptions) {
    this.#options = options;
    for (const declaration of options.store.list()) this.#add(declaration, restoreDeclaration(declaration));
  }

  /** Lists all driver types, including those whose bundle does not run. */
  list(): readonly DriverFactory[] {
    const { builtIn, isLenient } = this.#options;
    const mode = isLenient() ? 'lenient' : 'strict';
    return [...builtIn, ...[...this.#types.values()].map((type) => type[mode])];
  }

  /** Returns the bundle that currently serves a driver type; undefined if none does. */
  findRegistration(type: string): DriverRegistration | undefined {
    return this.#registrations.get(type);
  }

  /**
   * Registers a driver type that a bundle serves from now on; it is stored when this resolves.
   *
   * @throws {InvalidRequest} `DRIVER_TYPE_INVALID`, `SCHEMA_NOT_SUPPORTED`
   * @throws {Conflict} `DRIVER_TYPE_TAKEN` if the gateway or another bundle has the type, `DRIVER_TYPES_EXCEEDED`
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
    const replaced = this.#makeRoom(declaration);
    // Before the file is written, so that no other bundle can register the type until then.
    this.#add(declaration, schemas);
    this.#registrations.set(type, { session, settings: schemas.settings });
    if (replaced.size > 0) await this.#options.store.remove(replaced);
    await this.#options.store.put(declaration);
  }

  /**
   * Removes the driver types of bundles that are no longer installed, except those that the configuration uses.
   *
   * @throws if they cannot be removed from the disk; they are removed from memory all the same
   */
  async forgetRemoved(): Promise<void> {
    const { isPresent, store } = this.#options;
    const forgotten = this.#forget(({ bundle }) => !isPresent(bundle));
    if (forgotten.size > 0) await store.remove(forgotten);
  }

  /** Removes the registrations of a bundle; its driver types are retained. */
  withdraw(session: BundleSession): void {
    for (const [type, registration] of this.#registrations)
      if (registration.session === session) this.#registrations.delete(type);
  }

  /** Removes driver types that the bundle declared earlier and no longer serves, if its quota is exhausted. */
  #makeRoom({ type, bundle }: DriverDeclaration): ReadonlySet<string> {
    const others = (): number =>
      [...this.#types.values()].filter(
        ({ declaration }) => declaration.bundle === bundle && declaration.type !== type,
      ).length;
    if (others() < MAXIMUM_TYPES_PER_BUNDLE) return new Set();
    const forgotten = this.#forget((former) => former.bundle === bundle && former.type !== type);
    if (others() < MAXIMUM_TYPES_PER_BUNDLE) return forgotten;
    throw new Conflict({
      code: 'DRIVER_TYPES_EXCEEDED',
      detail: `a bundle registers at most ${MAXIMUM_TYPES_PER_BUNDLE} driver types`,
    });
  }

  /** Removes the matching driver types that are neither served nor used. */
  #forget(matches: (declaration: DriverDeclaration) => boolean): ReadonlySet<string> {
    const forgotten = new Set<string>();
    for (const [type, { declaration }] of this.#types) {
      if (this.#registrations.has(type) || this.#options.isUsed(type) || !matches(declaration)) continue;
      this.#types.delete(type);
      forgotten.add(type);
    }
    return forgotten;
  }

  #isTaken(type: string, bundle: string): boolean {
    const { builtIn, isPresent } = this.#options;
    if (builtIn.some((factory) => factory.type === type) || this.#registrations.has(type)) return true;
    const owner = this.#types.get(type)?.declaration.bundle;
    return owner !== undefined && owner !== bundle && isPresent(owner);
  }

  #add(declaration: DriverDeclaration, { settings, address }: DriverSchemas): void {
    const { links } = this.#options;
    const { type } = declaration;
    const create = (schemas: DriverSchemas): DriverFactory =>
      createBridgedFactory({ type, schemas, links, findRegistration: () => this.findRegistration(type) });
    this.#types.set(type, {
      declaration,
      strict: create({ settings, address }),
      lenient: create({ settings: toLenient(settings), address: toLenient(address) }),
    });
  }
}
