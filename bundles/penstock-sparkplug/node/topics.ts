/** Names of an edge node, and its topics: everything that another version of Sparkplug would name differently (Sparkplug 3.0, 4). */
export interface EdgeNodeName {
  readonly groupId: string;
  readonly edgeNodeId: string;
}

/** Verbs of messages that an edge node sends. */
export type Verb = 'NBIRTH' | 'NDATA' | 'NDEATH' | 'DBIRTH' | 'DDATA' | 'DDEATH';

/** Command that came on a topic. */
export type CommandTarget = { readonly verb: 'NCMD' } | { readonly verb: 'DCMD'; readonly device: string };

const NAMESPACE = 'spBv1.0';

/** Returns the topic of a message of an edge node, or of one of its devices. */
export function topicOf({ groupId, edgeNodeId }: EdgeNodeName, verb: Verb, device?: string): string {
  const node = `${NAMESPACE}/${groupId}/${verb}/${edgeNodeId}`;
  return device === undefined ? node : `${node}/${device}`;
}

/** Returns the filters of the commands for an edge node and its devices. */
export function commandFilters({ groupId, edgeNodeId }: EdgeNodeName): readonly string[] {
  return [`${NAMESPACE}/${groupId}/NCMD/${edgeNodeId}`, `${NAMESPACE}/${groupId}/DCMD/${edgeNodeId}/+`];
}

/** Parses the topic of a command; undefined if it is for another edge node. */
export function parseCommandTopic(name: EdgeNodeName, topic: string): CommandTarget | undefined {
  const [namespace, group, verb, node, device, ...more] = topic.split('/');
  if (namespace !== NAMESPACE || group !== name.groupId || node !== name.edgeNodeId) return undefined;
  if (verb === 'NCMD' && device === undefined) return { verb };
  if (verb === 'DCMD' && device !== undefined && more.length === 0) return { verb, device };
  return undefined;
}

/** Returns the topic on which a host application reports whether it is online. */
export function stateTopicOf(hostId: string): string {
  return `${NAMESPACE}/STATE/${hostId}`;
}

/** Returns the fault of an identifier of a group, an edge node, a device or a host; undefined: it can be used. */
export function findIdFault(id: string): string | undefined {
  if (id === '') return 'it is empty';
  // oxlint-disable-next-line no-control-regex -- control characters are not allowed in topics
  const [character] = /[+/#\u0000-\u001f\u007f]/.exec(id) ?? [];
  return character === undefined ? undefined : `it contains ${JSON.stringify(character)}`;
}
