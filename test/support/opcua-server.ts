import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';

import type { HostileBrowse } from './opcua-hostile-browse.ts';

/** Settings of the server; by default it has no security. */
export interface OpcuaServerOptions {
  /** Directory of its certificates; with the same directory the server has the same certificate. */
  readonly directory: string;
  readonly port?: number;
  readonly securityModes?: readonly ('None' | 'Sign' | 'SignAndEncrypt')[];
  readonly securityPolicies?: readonly string[];
  /** Passwords by name; without it anyone may come. */
  readonly users?: Readonly<Record<string, string>>;
  /** Certificates of users who may come, PEM; without them every certificate that is shown is taken. */
  readonly userCertificates?: readonly string[];
  /** URIs of namespaces before that of the nodes. */
  readonly namespaces?: readonly string[];
  /** So many nodes `bulk.0`, `bulk.1` and so on that hold their number. */
  readonly bulkNodes?: number;
  readonly maxSessions?: number;
  readonly operationLimits?: Readonly<Record<string, number>>;
  /** Most subscriptions of a session. */
  readonly maxSubscriptionsPerSession?: number;
  /** Most items of a subscription. */
  readonly maxMonitoredItemsPerSubscription?: number;
  /** Whether the server tells its clients the limits; by default it does. */
  readonly tellsLimits?: boolean;
  /** Words before those of the program, which it is started with. */
  readonly entrance?: readonly string[];
}

/** Requests to the server while it runs. */
export type ServerCommand =
  | 'reset'
  | 'countRequests'
  | 'listWrites'
  | 'countSessions'
  | 'countSubscriptions'
  | 'countItems'
  | 'listTerms'
  | 'closeSessions'
  | 'endSubscriptions'
  | 'answerWrites'
  | 'hideCreations'
  | 'refuseDeletion'
  | 'refuseModifications'
  | 'answerBrowses'
  | 'dropLists'
  | 'listNoEndpoints'
  | 'replaceNode'
  | 'replaceMethod'
  | 'addNamespace';

export interface ServerMessage {
  readonly command: ServerCommand;
  readonly argument?: string | undefined;
}

export interface ServerAnswer {
  readonly value: unknown;
}

/** What a subscription was given, in milliseconds, and each of its items, in the order of their creation. */
export interface GivenTerms {
  readonly publishingIntervalMs: number;
  readonly items: readonly { readonly samplingIntervalMs: number; readonly queueSize: number }[];
}

/** An OPC UA server in its own process. */
export interface OpcuaServer extends AsyncDisposable {
  readonly endpointUrl: string;
  readonly port: number;
  readonly certificate: X509Certificate;
  /**
   * Makes it as new for another test, also when it is held still: it ends every session, its writable nodes hold what they held
   * at the start, it answers as it should, and has counted nothing. What was replaced or added stays.
   */
  reset(): Promise<void>;
  /** Returns how many requests of each kind came since the call before, for example `ReadRequest`. */
  countRequests(): Promise<Readonly<Record<string, number>>>;
  /** Returns every value that writable nodes took since the call before. */
  listWrites(): Promise<readonly { readonly name: string; readonly value: unknown }[]>;
  countSessions(): Promise<number>;
  countSubscriptions(): Promise<number>;
  /** Returns how many items all subscriptions have. */
  countItems(): Promise<number>;
  /** Returns the intervals and queues of all subscriptions. */
  listTerms(): Promise<readonly GivenTerms[]>;
  /** Ends every session without notice to the clients. */
  closeSessions(): Promise<void>;
  /** Deletes every subscription without notice to the clients. */
  endSubscriptions(): Promise<void>;
  /** Answers every Write from now on with a ServiceFault of that status, or with the answer to another service. */
  answerWrites(fault?: string): Promise<void>;
  /** Carries out a service from now on, and answers as another one does: the client does not learn the ids. */
  hideCreations(
    service: 'CreateMonitoredItems' | 'CreateSession' | 'CreateSubscription' | 'ModifySubscription',
  ): Promise<void>;
  /** Keeps what the next deletion names, and answers it as another service does. */
  refuseDeletion(service: 'DeleteMonitoredItems' | 'DeleteSubscriptions'): Promise<void>;
  /** Does not support a service from now on. */
  refuseModifications(service: 'ModifyMonitoredItems' | 'ModifySubscription'): Promise<void>;
  /** Answers every Browse from now on in a way that no server should. */
  answerBrowses(how: HostileBrowse): Promise<void>;
  /** Forgets the rest of every list that a client has begun to read. */
  dropLists(): Promise<void>;
  /** Lists no endpoint from now on, as a server does under a URL that is not its own. */
  listNoEndpoints(): Promise<void>;
  /** Makes a writable node anew under its name, in the way of another: `int16` like `double`. */
  replaceNode(name: string, like: string): Promise<void>;
  /** Makes the method `call` of the object `plant` anew, with one argument of a type of the standard. */
  replaceMethod(argumentType: string): Promise<void>;
  /** Adds a namespace after all others, with a node `late` that holds 1.5. */
  addNamespace(uri: string): Promise<void>;
  /** Holds the process still: its connections stay, and nothing is answered until `goOn`. */
  hold(): void;
  goOn(): void;
  /** Ends the process without a goodbye; resolves when it is gone. */
  kill(): Promise<void>;
}

const PROGRAM = path.join(import.meta.dirname, 'opcua-server-process.ts');

/** Starts a server; resolves when it takes connections. */
export async function startOpcuaServer({
  entrance = [],
  ...options
}: OpcuaServerOptions): Promise<OpcuaServer> {
  const whole: Omit<Required<OpcuaServerOptions>, 'users' | 'userCertificates' | 'entrance'> = {
    port: 0,
    securityModes: ['None'],
    securityPolicies: ['None'],
    namespaces: [],
    bulkNodes: 0,
    maxSessions: 100,
    maxSubscriptionsPerSession: 10,
    maxMonitoredItemsPerSubscription: 100_000,
    operationLimits: {},
    tellsLimits: true,
    ...options,
  };
  const [execPath, ...execArgv] = [...entrance, process.execPath];
  const child = fork(PROGRAM, [JSON.stringify(whole)], {
    execPath,
    execArgv,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const { port, certificate } = (await receive(child)) as { port: number; certificate: string };
  const ask = async <T>(command: ServerCommand, argument?: string): Promise<T> => {
    child.send({ command, argument } satisfies ServerMessage);
    return (await receive(child)) as T;
  };
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  return {
    port,
    endpointUrl: `opc.tcp://127.0.0.1:${port}`,
    certificate: new X509Certificate(Buffer.from(certificate, 'base64')),
    reset() {
      child.kill('SIGCONT');
      return ask('reset');
    },
    countRequests: () => ask('countRequests'),
    listWrites: () => ask('listWrites'),
    countSessions: () => ask('countSessions'),
    countSubscriptions: () => ask('countSubscriptions'),
    countItems: () => ask('countItems'),
    listTerms: () => ask('listTerms'),
    closeSessions: () => ask('closeSessions'),
    endSubscriptions: () => ask('endSubscriptions'),
    answerWrites: (fault) => ask('answerWrites', fault),
    refuseDeletion: (service) => ask('refuseDeletion', service),
    refuseModifications: (service) => ask('refuseModifications', service),
    hideCreations: (service) => ask('hideCreations', service),
    answerBrowses: (how) => ask('answerBrowses', how),
    dropLists: () => ask('dropLists'),
    listNoEndpoints: () => ask('listNoEndpoints'),
    replaceNode: (name, like) => ask('replaceNode', `${name} ${like}`),
    replaceMethod: (argumentType) => ask('replaceMethod', argumentType),
    addNamespace: (uri) => ask('addNamespace', uri),
    hold: () => void child.kill('SIGSTOP'),
    goOn: () => void child.kill('SIGCONT'),
    kill,
    [Symbol.asyncDispose]: kill,
  };
}

async function receive(child: ChildProcess): Promise<unknown> {
  const ended = new AbortController();
  const onExit = (): void => ended.abort(new Error('the OPC UA server ended'));
  child.once('exit', onExit);
  try {
    const [answer] = (await once(child, 'message', { signal: ended.signal })) as [ServerAnswer];
    return answer.value;
  } finally {
    child.off('exit', onExit);
  }
}
