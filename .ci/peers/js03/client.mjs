// Peer "js03": a client on @a2a-js/sdk 0.3.14. It prints what the SDK gives it,
// one line for each operation.
//
//   node client.mjs (--card URL | --endpoint URL) --binding JSONRPC|HTTP+JSON|GRPC --ops LIST
import { parseArgs } from 'node:util';
import { ClientFactory, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';

const { values: flags } = parseArgs({ options: {
  card: { type: 'string' }, endpoint: { type: 'string' }, binding: { type: 'string' }, ops: { type: 'string' },
} });
const factory = new ClientFactory({
  transports: [new JsonRpcTransportFactory(), new RestTransportFactory(), new GrpcTransportFactory()],
  preferredTransports: [flags.binding],
});
const describe = e => `${e.constructor.name} ${e.code ?? ''} ${String(e.message).split('\n')[0]}`;
let client;
try {
  client = flags.card ? await factory.createFromUrl(flags.card) : await factory.createFromAgentCard({
    name: 'endpoint', description: '', version: '1', protocolVersion: '0.3.0', url: flags.endpoint, preferredTransport: flags.binding,
    capabilities: { streaming: true, pushNotifications: true }, defaultInputModes: [], defaultOutputModes: [], skills: [],
  });
} catch (e) {
  console.log('client: error', describe(e));
  process.exit(0);
}
console.log('client:', client.transport.constructor.name);

let last = '00000000-0000-0000-0000-00000000dead';
const seen = value => {
  last = (value.kind === 'task' ? value.id : value.taskId) ?? last;
  return value;
};
const ask = (text, blocking) => ({
  message: { kind: 'message', messageId: crypto.randomUUID(), role: 'user', parts: [{ kind: 'text', text }] },
  configuration: { blocking },
});
const drain = async (events, most) => {
  const all = [];
  for await (const e of events) {
    all.push(seen(e));
    if (all.length === most) break;
  }
  return all;
};
const run = (name, arg) => {
  const id = arg === 'unknown' ? '11111111-2222-3333-4444-555555555555' : last;
  switch (name) {
    case 'send': return client.sendMessage(ask(arg, true)).then(seen);
    case 'sendnow': return client.sendMessage(ask(arg, false)).then(seen).then(t => t.id);
    case 'stream': return drain(client.sendMessageStream(ask(arg, true)));
    case 'streamcut': return drain(client.sendMessageStream(ask(arg, true)), 2);
    case 'get': return client.getTask({ id });
    case 'cancel': return client.cancelTask({ id }).then(t => t.status.state);
    case 'subscribe': return drain(client.resubscribeTask({ id }));
    case 'hookset': return client.setTaskPushNotificationConfig({ taskId: id, pushNotificationConfig: { id: 'hook-1', url: 'http://127.0.0.1:1/hook', token: 'tok' } });
    case 'hookget': return client.getTaskPushNotificationConfig({ id, pushNotificationConfigId: 'hook-1' });
    case 'hookdelete': return client.deleteTaskPushNotificationConfig({ id, pushNotificationConfigId: 'hook-1' });
    case 'extcard': return client.getAgentCard().then(c => c.name);
  }
  throw new Error(`there is no operation ${name}`);
};
for (const op of flags.ops.split(',')) {
  const [name, ...arg] = op.split(':');
  try {
    console.log(`${op}:`, JSON.stringify(await run(name, arg.join(':'))));
  } catch (e) {
    console.log(`${op}: error`, describe(e));
  }
}
process.exit(0);
