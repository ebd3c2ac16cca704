// The official SDKs in TypeScript, 1.x and 2.x: `node typescript.mjs 1`. Both check structured content against the output
// schema of its tool, and throw where it does not match. See driver.py for what goes in and comes out.
import { text } from 'node:stream/consumers'

const SDKS = {
    1: ['@modelcontextprotocol/sdk/client/index.js', '@modelcontextprotocol/sdk/client/streamableHttp.js',
        '@modelcontextprotocol/sdk/client/stdio.js'],
    2: ['@modelcontextprotocol/client', '@modelcontextprotocol/client', '@modelcontextprotocol/client/stdio'],
}

const [{ Client }, { StreamableHTTPClientTransport }, { StdioClientTransport }] =
    await Promise.all(SDKS[process.argv[2]].map((name) => import(name)))

function transport({ url, token, command, env }) {
    if (url) {
        const requestInit = { headers: { Authorization: `Bearer ${token}` } }
        return new StreamableHTTPClientTransport(new URL(url), { requestInit })
    }
    return new StdioClientTransport({ command: command[0], args: command.slice(1), env, stderr: 'ignore' })
}

async function reply(client, { tool, arguments: given }) {
    try {
        const result = await client.callTool({ name: tool, arguments: given })
        return {
            read: result.content.filter((part) => part.type === 'text').map((part) => part.text).join('\n'),
            structured: result.structuredContent ?? null,
            failed: Boolean(result.isError),
            images: result.content.filter((part) => part.type === 'image').length,
            raised: '',
        }
    } catch (error) {
        return { read: '', structured: null, failed: true, images: 0, raised: `${error.name}: ${error.message}` }
    }
}

async function replies({ server, calls }) {
    const client = new Client({ name: 'stillframe-tests', version: '1' })
    await client.connect(transport(server))
    await client.listTools()  // it makes the validators
    const all = []
    for (const call of calls) {
        all.push(await reply(client, call))
    }
    await client.close()
    return all
}

const all = []
for (const task of JSON.parse(await text(process.stdin))) {
    all.push(await replies(task))
}
process.stdout.write(JSON.stringify(all))
