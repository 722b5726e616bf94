import { Conflict, InvalidRequest, NotFound } from '../../base/errors.ts';
import { createReason, explain } from '../../base/fault-reason.ts';
import { IDENTITY_FAULTS } from './fault-sentences.ts';
import type { DefinedPermissions } from './defined-permissions.ts';
import { getCaller, listRights, refuseBeyondOwn } from './granting-rules.ts';
import type { IdentityStore } from './identity-store.ts';
import type { Principal } from './identity.ts';

interface PermissionAdministrationOptions {
  readonly identities: IdentityStore;
  readonly defined: DefinedPermissions;
  /** Permissions of the gateway. */
  readonly builtIn: () => readonly string[];
}

/** Lists, defines and deletes permissions on behalf of a caller. */
export class PermissionAdministration {
  readonly #options: PermissionAdministrationOptions;

  constructor(options: PermissionAdministrationOptions) {
    this.#options = options;
  }

  /** Lists all permissions that can be assigned, sorted by name. */
  list(): readonly string[] {
    const { defined, builtIn } = this.#options;
    return [...new Set([...builtIn(), ...defined.list()])].sort();
  }

  /**
   * Defines a permission for purposes of clients and bundles.
   *
   * @throws {Conflict} `PERMISSION_EXISTS`, also for one of the gateway
   * @throws {InvalidRequest} `PERMISSION_INVALID` or `PERMISSION_LIMIT`
   */
  define(name: string): void {
    const { defined, builtIn } = this.#options;
    if (builtIn().includes(name)) {
      throw new Conflict({ code: 'PERMISSION_EXISTS', detail: `permission "${name}" already exists` });
    }
    defined.define(name);
  }

  /**
   * Deletes a defined permission and takes it from every identity.
   *
   * @throws {NotFound} `PERMISSION_UNKNOWN`
   * @throws {Conflict} `PERMISSION_BUILT_IN` for one of the gateway
   * @throws {NotPermitted} `PERMISSION_BEYOND_OWN` if one of these identities has permissions that the caller lacks
   */
  remove(name: string, caller: Principal): void {
    const { identities, defined, builtIn } = this.#options;
    if (builtIn().includes(name)) {
      const detail = `permission "${name}" belongs to the gateway`;
      throw new Conflict({ code: 'PERMISSION_BUILT_IN', detail });
    }
    if (!defined.has(name)) throw new NotFound({ code: 'PERMISSION_UNKNOWN', detail: 'unknown permission' });
    const holders = identities.list().filter(({ permissions }) => permissions.includes(name));
    refuseBeyondOwn(holders.flatMap(listRights), getCaller(caller, identities));
    defined.remove(name, identities);
  }

  /** @throws {InvalidRequest} `PERMISSION_UNKNOWN` with the first name that cannot be assigned */
  refuseUnknown(names: readonly string[]): void {
    const known = this.list();
    const unknown = names.find((name) => !known.includes(name));
    if (unknown === undefined) return;
    const reason = createReason(IDENTITY_FAULTS, 'PERMISSION_NOT_KNOWN', {
      permission: JSON.stringify(unknown.slice(0, 100)),
    });
    throw new InvalidRequest({ code: 'PERMISSION_UNKNOWN', ...explain(reason) });
  }
}
