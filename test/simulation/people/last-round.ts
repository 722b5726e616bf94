import type { AssetClient } from './asset-client.ts';
import { createRead } from './reader.ts';
import type { PlantPersonParts } from './reader.ts';

const CLIENTS = 8;

/** Lets several clients read one channel after the other of every asset, all at once; resolves when they have left again. */
export async function readOnceMore(parts: PlantPersonParts, createClient: () => AssetClient): Promise<void> {
  const { model, time } = parts;
  const clients = Array.from({ length: CLIENTS }, createClient);
  const rounds = clients.map(async (client, index) => {
    const read = createRead({ ...parts, name: `${parts.name}-${index + 1}`, client });
    for (const asset of model.list()) {
      const [version] = model.versionsBetween(asset.pid, time.monotonicMs(), time.monotonicMs());
      const readable = [...(version?.channels ?? [])].filter(([, { channel }]) => channel.type !== 'WRITE');
      const name = readable[index % Math.max(1, readable.length)]?.[0];
      if (name !== undefined) await read(asset, { names: [name], maximumAgeMs: 0 });
    }
    client.close();
  });
  await Promise.all(rounds);
}
