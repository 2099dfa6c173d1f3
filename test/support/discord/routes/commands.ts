import { answer, type Call, DONE, type Routes } from "../call.ts";

const GLOBAL = "/applications/:application/commands";
const GUILD = "/applications/:application/guilds/:guild/commands";

export const commandRoutes: Routes = { ...routesAt(GLOBAL), ...routesAt(GUILD) };

function routesAt(path: string): Routes {
  return {
    [`GET ${path}`]: (call) => {
      const { commands } = call.discord;
      return answer(commands.in(scope(call)).map((one) => commands.wire(one)));
    },
    [`POST ${path}`]: (call) => {
      const { commands } = call.discord;
      const { command, isNew } = commands.put(scope(call), call.fields);
      return answer(commands.wire(command), isNew ? 201 : 200);
    },
    [`PUT ${path}`]: (call) => {
      const { commands } = call.discord;
      const put = commands.overwrite(scope(call), call.mustBeList());
      return answer(put.map((one) => commands.wire(one)));
    },
    [`GET ${path}/:command`]: (call) => {
      const { commands } = call.discord;
      return answer(commands.wire(commands.byId(scope(call), call.param("command"))));
    },
    [`PATCH ${path}/:command`]: (call) => {
      const { commands } = call.discord;
      return answer(
        commands.wire(commands.change(scope(call), call.param("command"), call.fields)),
      );
    },
    [`DELETE ${path}/:command`]: (call) => {
      call.discord.commands.remove(scope(call), call.param("command"));
      return DONE;
    },
  };
}

/** The guild whose commands it is about; undefined: those for all. */
function scope(call: Call): string | undefined {
  call.mustBeOwnApplication();
  return call.param("guild") === "" ? undefined : call.guild().id;
}
