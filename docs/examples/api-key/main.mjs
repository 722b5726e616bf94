import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';

// Recognises machines by a key in the field X-Api-Key. keys.json in the data directory of the bundle has the name of the
// identity for the SHA-256 digest (hex) of each key, so that the file gives no key away.

export async function activate({ bundle, logger, registerAuthenticationProvider }) {
  const names = readKeys(path.join(bundle.dataDirectory, 'keys.json'));
  await registerAuthenticationProvider({
    priority: 250,
    headers: ['x-api-key'],
    authenticate({ headers }) {
      return names.get(createHash('sha256').update(headers['x-api-key']).digest('hex'));
    },
    onEnabled: () => logger.info('api keys are accepted', { keys: names.size }),
    onDisabled: () => logger.info('api keys are accepted no longer'),
  });
}

function readKeys(file) {
  try {
    return new Map(Object.entries(JSON.parse(readFileSync(file, 'utf8'))));
  } catch (error) {
    if (error.code === 'ENOENT') return new Map();
    throw error;
  }
}
