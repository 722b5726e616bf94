import { CommandError, isNotFound, Refused } from '../command-error.ts';
import { readTemplate } from '../../interface/templates.ts';
import { fetchItems, listPids } from '../configured-item.ts';
import type { Finding } from '../machine-checks.ts';
import type { RestClient } from '../rest-client.ts';

/**
 * Names the templates of assets that are gone or have faults: the channels of then are in force, until the configuration
 * changes. Nothing when the caller may not see the configuration.
 */
export async function checkTemplates(client: RestClient): Promise<readonly Finding[]> {
  try {
    const { items: assets } = await fetchItems(client, 'assets');
    const names = new Set(assets.flatMap(({ template }) => (typeof template === 'string' ? [template] : [])));
    const findings = [...names].map(async (name) => {
      const fault = await findFault(client, name);
      if (fault === undefined) return [];
      const users = assets.filter(({ template }) => template === name);
      return [describe(name, fault, listPids(users))];
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
