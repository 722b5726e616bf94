import type { ImmediateProvider } from './authentication-provider.ts';
import { PROVIDER_PRIORITY } from './authentication-provider.ts';
import type { Identity, Principal } from '../identity.ts';
import { ADMIN_PERMISSION } from '../permission.ts';

// Not an identity of the store, so it cannot be deleted or locked out; the store never assigns its id.
const LOCAL_ADMINISTRATOR: Identity = {
  id: 'local',
  name: '(local)',
  permissions: [ADMIN_PERMISSION],
  passwordChangeNeeded: false,
  credentialsRevision: 0,
  createdAtMs: 0,
};

const PRINCIPAL: Principal = { identity: LOCAL_ADMINISTRATOR, method: 'local' };

/**
 * Creates the provider for the local socket. A process that can open it can also read every file of the gateway, so its callers
 * are administrators without further authentication. This is the recovery path if passwords and certificates are lost.
 */
export function createLocalProvider(): ImmediateProvider {
  return {
    name: 'local',
    priority: PROVIDER_PRIORITY.local,
    authenticate: ({ isLocal }) => (isLocal === true ? PRINCIPAL : undefined),
  };
}
