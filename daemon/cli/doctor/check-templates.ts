import { CommandError, isNotFound, Refused } from '../command-error.ts';
import { readTemplate } from '../../interface/templates.ts';
import type { Finding } from '../machine-checks.ts';
import type { RestClient } from '../rest-client.ts';

interface ConfiguredAsset {
  readonly pid: string;
  readonly template?: string;
}

const ROOT = '/services/configuration/v1';

/**
 * Names the templates of assets that are gone or have faults: the channels of then are in force, until the configuration
 * changes. Nothing when the caller may not see the configuration.
 */
export async function checkTemplates(client: RestClient): Promise<readonly Finding[]> {
  try {
    const { body } = await client.send('GET', `${ROOT}/assets`);
    const assets = body as readonly ConfiguredAsset[];
    const names = new Set(assets.flatMap(({ template }) => (template === undefined ? [] : [template])));
    const findings = [...names].map(async (name) => {
      const fault = await findFault(client, name);
      if (fault === undefined) return [];
      const users = assets.filter(({ template }) => template === name).map(({ pid }) => pid);
      return [describe(name, fault, users)];
    });
    return (await Promise.all(findings)).flat();
  } catch (error) {
    if (error instanceof Refused || isNotFound(error)) return [];
    throw error;
  }
}

async function findFault(client: RestClient, name: string): Promise<string | undefined> {
  try {
    return (await client.call(readTemplate, { name })).faults?.[0];
  } catch (error) {
    if (error instanceof CommandError && !(error instanceof Refused)) return error.detail;
    throw error;
  }
}

function describe(name: string, fault: string, users: readonly string[]): Finding {
  const [first = '', ...others] = users;
  const assets = others.length === 0 ? `asset ${first}` : `asset ${first} and ${others.length} more`;
  return {
    check: `template ${name}`,
    state: 'WRONG',
    detail: `${fault}; ${assets} keeps the channels of before until the next change, which is refused`,
    advice: `bring the file back or correct it, then: penstock template show ${name}`,
  };
}
