import type { ImmediateProvider } from './authentication-provider.ts';
import { PROVIDER_PRIORITY } from './authentication-provider.ts';
import type { Identity, Principal } from './identity.ts';
import { ADMIN_PERMISSION } from './permission.ts';

// No identity of the store, so it cannot be deleted or locked out; its id is none that the store gives.
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
 * Makes the provider for the socket on the machine itself. Whoever can open it may read every file of the gateway anyway,
 * so its callers are administrators without further proof: the way in when passwords and certificates are lost.
 */
export function createLocalProvider(): ImmediateProvider {
  return {
    name: 'local',
    priority: PROVIDER_PRIORITY.local,
    authenticate: ({ isLocal }) => (isLocal === true ? PRINCIPAL : undefined),
  };
}
