"""An agent and its runs: what a result says, conversations, typed answers, choices, hooks, streams that are left."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import datetime
import enum
import json
from collections.abc import AsyncIterator, Coroutine, Iterator
from typing import Annotated, Any, TypedDict

import msgspec
import pydantic
import pytest

import toolect
from toolect import conversation
from toolect._message import Call, MessageError
from toolect.agent import (
    Agent,
    Answered,
    Assistant,
    Context,
    Done,
    Ended,
    ModelStep,
    Result,
    Results,
    RetryError,
    RetryLimitError,
    RunStep,
    Step,
    System,
    Tool,
    ToolDefinitionError,
    ToolFinished,
    ToolRegistry,
    ToolResult,
    ToolStarted,
    ToolStep,
    Turn,
    Usage,
    User,
)


def run(work: Coroutine[Any, Any, Any]) -> Any:
    """What `work` returns; a run that hangs fails."""
    return asyncio.run(asyncio.wait_for(work, 60))


def call_text(name: str, **arguments: Any) -> str:
    """A call as models write it most often."""
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"


def add(a: int, b: int) -> int:
    """Adds."""
    return a + b


class Script:
    """A model that gives these answers one after the other, the last one for ever, and keeps what it was told."""

    dialect = "hermes"
    name = "script"

    def __init__(self, *answers: Any) -> None:
        self.answers, self.asked = [*answers], list[list[Turn]]()
        self.choices: list[str] = []
        self.tools: list[list[str]] = []

    def __call__(self, turns: list[Turn], tools: list[Any]) -> Any:
        return self._answer("auto", turns, tools)

    def choosing(self, choice: str) -> Any:
        """The model, made to choose."""
        return lambda turns, tools: self._answer(choice, turns, tools)

    async def _answer(self, choice: str, turns: list[Turn], tools: list[Any]) -> Any:
        self.asked.append(turns)
        self.choices.append(choice)
        self.tools.append([tool["function"]["name"] for tool in tools])
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return answer(turns) if callable(answer) else answer


ADD = call_text("add", a=1, b=2)


def streamed(*pieces: Any) -> Any:
    """An answer in pieces, as models yield them."""

    async def answer() -> AsyncIterator[Any]:
        for piece in pieces:
            await asyncio.sleep(0)
            yield piece

    return answer()


# What a run gives


def test_a_result_says_all_of_its_run() -> None:
    """Text, conversation, calls, results, usage and how the last answer ended."""
    first = streamed(ADD, Ended("tool_calls", Usage(10, 5, 1), "m"))
    agent = Agent(Script(first, streamed("It is ", "3.", Ended("stop", Usage(20, 4, 1)))), [add])
    result: Result[str] = run(agent.run("1 + 2?"))
    assert (result.text, result.output, str(result), result.finish, result.cut) == ("It is 3.",) * 3 + ("stop", False)
    assert [call.name for call in result.calls] == ["add"] and [one.output for one in result.results] == ["3"]
    assert result.usage == Usage(30, 9, 2)
    assert result.history == agent.history and [*map(type, result.history)] == [User, Assistant, Results, Assistant]
    assert [message["role"] for message in result.messages] == ["user", "assistant", "tool", "assistant"]


def test_a_response_as_a_whole_says_how_it_ended() -> None:
    """The usage and the finish reason of an OpenAI-shaped response count."""
    choice = {"message": {"role": "assistant", "content": "Hi."}, "finish_reason": "length"}
    body = {"choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 2}, "model": "m"}
    result = run(Agent(Script(body)).run("?"))
    assert result.cut and result.usage == Usage(7, 2, 1)


def test_what_was_cut_off_goes_on() -> None:
    """`length` without calls is said; without a message the run asks for the rest."""
    model = Script(streamed("One, two,", Ended("length")), "three.")
    agent = Agent(model)
    first = run(agent.run("Count."))
    assert first.cut and first.text == "One, two,"
    rest = run(agent.run())
    assert rest.text == "three." and not rest.cut
    assert [*map(type, model.asked[1])] == [User, Assistant, User]


def test_a_run_without_a_message_asks_again_after_an_error() -> None:
    """The question is not asked twice."""

    def fail(_: Any) -> None:
        raise ConnectionError("gone")

    model = Script(fail, "Hi.")
    agent = Agent(model)
    with pytest.raises(ConnectionError):
        run(agent.run("Anybody there?"))
    assert run(agent.run()).text == "Hi."
    assert model.asked[1] == [User("Anybody there?")]
    with pytest.raises(ValueError, match="expected a message"):
        run(Agent(model, system_prompt="Be brief.").run())


def test_answers_say_which_was_the_last() -> None:
    """`Answered.last` is true of one answer only, and `Done` has the result."""

    async def work() -> list[Any]:
        return [event async for event in Agent(Script(ADD, "3."), [add]).stream("?")]

    events = run(work())
    assert [event.last for event in events if isinstance(event, Answered)] == [False, True]
    assert isinstance(events[-1], Done) and events[-1].result.text == "3."


def test_a_wrong_dialect_is_said_at_once() -> None:
    """And `auto` is what goes without saying."""
    with pytest.raises(toolect.UnknownNameError):
        Agent(Script(""), [add], "hermess")
    assert Agent(Script(""), [add], "auto").dialect is toolect.dialect("hermes")
    assert Agent("http://localhost", [add], "auto", model="Qwen/Qwen3-8B").dialect is toolect.dialect("hermes")


# Programs that are not asynchronous


def test_run_sync_goes_on_from_run_to_run() -> None:
    """Also where an event loop is running, as in a notebook."""
    agent = Agent(Script(ADD, "3.", "Yes."), [add])
    assert agent.run_sync("1 + 2?").text == "3."

    async def notebook() -> str:
        return agent.run_sync("Sure?").text

    assert asyncio.run(notebook()) == "Yes."
    assert len(agent.history) == 6
    with pytest.raises(ValueError, match="tool_choice"):
        agent.run_sync("?", tool_choice="nothing")


# Conversations


def test_history_in_and_out() -> None:
    """What one run gives another one takes; the agent's own conversation stays as it is."""
    model = Script("One.", "Two.", "Three.")
    agent = Agent(model, system_prompt="Be brief.")
    first = run(agent.run("a", history=[]))
    second = run(agent.run("b", history=first.history))
    assert agent.history == [System("Be brief.")]
    assert model.asked[1] == [System("Be brief."), User("a"), *first.history[-1:], User("b")]
    again = Agent(model, history=second.history)
    assert len(run(again.run("c")).history) == 7 and len(again.history) == 7


def test_history_as_messages() -> None:
    """Chat-completions messages and whole conversations are understood; what is neither is refused."""
    model = Script("Hi.")
    said = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "a"}]
    agent = Agent(model, system_prompt="Be brief.")
    run(agent.run(history=said))
    assert model.asked[0] == [System("Be kind."), User("a")]
    run(agent.run(history=conversation.Conversation.from_openai(said)))
    assert model.asked[1] == model.asked[0]
    result = run(Agent(Script(ADD, "3."), [add]).run("?"))
    run(agent.run("And?", history=result.messages))
    assert [*map(type, model.asked[2])] == [System, User, Assistant, Results, Assistant, User]
    with pytest.raises(MessageError):
        run(agent.run("?", history=[{"role": "nobody"}]))


def test_conversations_of_their_own_run_at_a_time() -> None:
    """Runs with a history do not wait for one another; runs of one conversation are told so."""

    async def work() -> None:
        here = asyncio.Barrier(3)

        async def model(turns: list[Turn], _: Any) -> str:
            await here.wait()
            return f"said {turns[-1].text}"  # type: ignore[union-attr]  # the user's turn

        agent = Agent(model)
        results = await asyncio.gather(*(agent.run(str(i), history=[]) for i in range(3)))
        assert [result.text for result in results] == ["said 0", "said 1", "said 2"]
        with pytest.raises(RuntimeError, match="one run at a time"):
            await asyncio.wait_for(asyncio.gather(agent.run("a"), agent.run("b")), 5)

    run(work())


# Typed answers


class Weather(pydantic.BaseModel):
    """The weather of a city."""

    city: str
    degrees: Annotated[int, pydantic.Field(lt=60)]


class Struct(msgspec.Struct):
    """The weather of a city."""

    city: str
    degrees: int


@dataclasses.dataclass
class Data:
    """The weather of a city."""

    city: str
    degrees: int


class Typed(TypedDict):
    """The weather of a city."""

    city: str
    degrees: int


OSLO = {"city": "Oslo", "degrees": 7}
TYPES = [
    (Weather, OSLO, Weather(city="Oslo", degrees=7)),
    (Struct, OSLO, Struct("Oslo", 7)),
    (Data, OSLO, Data("Oslo", 7)),
    (Typed, OSLO, OSLO),
    (list[Struct], {"answer": [OSLO]}, [Struct("Oslo", 7)]),
    (int, {"answer": 7}, 7),
    (bool | None, {"answer": None}, None),
]


@pytest.mark.parametrize(("type_", "given", "value"), TYPES, ids=lambda one: str(one)[:30])
@pytest.mark.parametrize("form", ["call", "text", "block"])
def test_an_answer_of_a_type(type_: Any, given: dict[str, Any], value: Any, form: str) -> None:
    """A model gives it by a tool, or as JSON, alone or in a block of code."""
    text = {
        "call": call_text("final_answer", **given),
        "text": json.dumps(given),
        "block": f"```json\n{json.dumps(given)}\n```",
    }[form]
    agent: Any = Agent(Script(ADD, text), [add], output=type_)
    result = run(agent.run("?"))
    assert result.output == value and type(result.output) is type(value)
    assert agent.model.tools[0] == ["add", "final_answer"]
    assert next(call.name for call in result.calls) == "add"


def test_an_answer_that_is_a_text() -> None:
    """Needs no call: whatever the model says is one."""
    assert run(Agent(Script("Seven degrees."), output=str).run("?")).output == "Seven degrees."


UNDOCUMENTED = [
    pydantic.create_model("Report", port=(str, ...)), msgspec.defstruct("Report", [("port", str)]),
    dataclasses.make_dataclass("Report", [("port", str)]), TypedDict("Report", {"port": str}), datetime.date, Any,
    enum.Enum("Report", ["A", "B"]),
]  # fmt: skip


@pytest.mark.parametrize("type_", UNDOCUMENTED, ids=str)
def test_only_what_somebody_wrote_describes_a_type(type_: Any) -> None:
    """No docstring of a base class, or of Python itself, is the model's to read."""
    agent: Any = Agent(Script(""), output=type_)
    assert agent._output.tool.description == "Gives the final answer. Call it once, when the answer is known."
    assert "description" not in json.dumps(agent._output.tool.parameters)
    if type_ is UNDOCUMENTED[0]:
        assert Tool.from_model(type_, add).description == "Report"


def test_a_wrong_answer_is_sent_back() -> None:
    """The model is told what is wrong with it, by the schema and by the type's own checks; there is an end to it."""
    hot = call_text("final_answer", city="Oslo", degrees=99)
    none = call_text("final_answer", city="Oslo")
    right = call_text("final_answer", **OSLO)
    model = Script("Seven degrees.", none, hot, right)
    agent = Agent(model, output=Weather)
    assert run(agent.run("?")).output == Weather(city="Oslo", degrees=7)
    assert "by a call of `final_answer`" in str(model.asked[1][-1])
    assert "required" in str(model.asked[2][-1]) and "60" in str(model.asked[3][-1])
    with pytest.raises(RetryLimitError, match="4 in a row") as error:
        run(Agent(Script("Seven degrees."), output=Weather).run("?"))
    assert len(error.value.history) == 9


def test_the_hooks_do_not_see_the_final_answer() -> None:
    """It is no action; and a type that JSON Schema cannot say is refused at once."""
    asked: list[str] = []

    def before(call: Call) -> None:
        asked.append(call.name)

    run(Agent(Script(ADD, call_text("final_answer", answer=3)), [add], output=int, before=before).run("?"))
    assert asked == ["add"]
    with pytest.raises(ToolDefinitionError, match="JSON Schema can say"):
        Agent(Script(""), output=asyncio.Event)


# What surrounds a call


def test_tools_get_their_context() -> None:
    """A parameter of type `Context` is not the model's; also of methods, and with other hints as text."""

    def whose(context: Context[dict[str, int]], key: str) -> str:
        """Looks up."""
        return f"{context.value[key]} {context.call.name} {context.call_id} {len(context.history)}"

    class Shop:
        async def price(self, of: str, ctx: Context) -> str:  # type: ignore[type-arg]  # as users write it
            """Tells a price."""
            return f"{of} {ctx.value['a']}"

    tools = ToolRegistry([whose, Shop().price])
    assert [[*tool.parameters["properties"]] for tool in tools] == [["key"], ["of"]]
    both = call_text("whose", key="a") + call_text("price", of="tea")
    result = run(Agent(Script(both, "Done."), tools).run("?", context={"a": 4}))
    assert [one.output for one in result.results] == [f"4 whose {result.results[0].call_id} 1", "tea 4"]
    alone = run(tools.execute("price", {"of": "tea"}, context={"a": 5}))
    assert alone.output == "tea 5"


def test_a_tool_asks_for_another_call() -> None:
    """The model reads what the tool says, and not that it failed; there is an end to it."""
    calls: list[str] = []

    def look(city: str) -> str:
        """Looks."""
        calls.append(city)
        if city.isupper():
            raise RetryError("write the city in small letters")
        return "found"

    agent = Agent(Script(call_text("look", city="OSLO"), call_text("look", city="oslo"), "Found."), [look])
    result = run(agent.run("?"))
    assert [(one.output, one.is_error) for one in result.results] == [
        ("write the city in small letters", True), ("found", False),
    ]  # fmt: skip
    with pytest.raises(RetryLimitError, match="small letters"):
        run(Agent(Script(call_text("look", city="OSLO")), [look], max_repairs=2).run("?"))
    assert len(calls) == 5


# Choices


@pytest.mark.parametrize("choice", ["required", "add"])
def test_a_forced_choice_lasts_until_a_call(choice: str) -> None:
    """Else no answer would ever be the last; a model that cannot be forced is told."""
    model = Script("No.", ADD, "3.")
    assert run(Agent(model, [add], tool_choice=choice).run("?")).text == "3."
    assert model.choices == [choice, choice, "auto"]
    assert model.asked[1][-1] == User("Call a tool now." if choice == "required" else "Call `add` now.")


def test_no_calls_at_all() -> None:
    """With `none` the model is told so, and what it calls all the same is not executed."""
    model = Script(ADD, "3.")
    result = run(Agent(model, [add]).run("?", tool_choice="none"))
    assert model.choices == ["none", "none"] and [one.is_error for one in result.results] == [True]
    with pytest.raises(ValueError, match="got 'ad': tools are `add`"):
        Agent(model, [add], tool_choice="ad")


# Tools by name


def test_tools_are_registered_replaced_and_taken_away() -> None:
    """A decorator takes arguments; `execute` takes a name and arguments, as a mapping or its text."""
    tools = ToolRegistry()

    @tools.register(name="plus", timeout=2.5, description="Adds two numbers.")
    def f(a: int, b: int) -> int:
        return a + b

    assert (tools["plus"].timeout, tools["plus"].description, f(1, 2)) == (2.5, "Adds two numbers.", 3)
    assert run(tools.execute("plus", {"a": 1, "b": 2})).output == "3"
    assert run(tools.execute("plus", '{"a": 1, "b": 2}', call_id="x")).call_id == "x"
    for wrong in ("{", "[1, 2]", [1, 2]):
        assert "malformed" in run(tools.execute("plus", wrong)).output  # type: ignore[arg-type]  # that is the mistake
    with pytest.raises(ToolDefinitionError, match="overwrite=True"):
        tools.register(add, name="plus")
    tools.register(lambda a, b: a * b, name="plus", overwrite=True)
    assert run(tools.execute("plus", {"a": 2, "b": 3})).output == "6"
    assert tools.unregister("plus").name == "plus" and len(tools) == 0 and tools.get("plus") is None
    for look in (tools.unregister, tools.__getitem__):
        with pytest.raises(ToolDefinitionError, match="there is no tool `plus`"):
            look("plus")
    with pytest.raises(ToolDefinitionError, match="list of tools"):
        ToolRegistry(add)  # type: ignore[arg-type]  # that is the mistake


def test_a_registry_among_tools_keeps_its_bounds() -> None:
    """Also beside others."""
    own = ToolRegistry([add], timeout=3.0, parallel=2)
    assert Agent(Script("")).registry.parallel == 8
    assert Agent(Script(""), [own]).registry is own
    both = Agent(Script(""), [Multiply(), own, ToolRegistry([lambda_named])]).registry
    assert (both.timeout, both.parallel, [tool.name for tool in both]) == (3.0, 2, ["add", "multiply", "lambda_named"])
    with pytest.raises(ToolDefinitionError, match="list of tools"):
        Agent(Script(""), add)  # type: ignore[arg-type]  # that is the mistake
    with pytest.raises(ToolDefinitionError, match="expected a function as a tool"):
        Agent(Script(""), [{"type": "function"}])  # type: ignore[list-item]  # as above


def lambda_named() -> None: ...


class Multiply:
    """Multiplies."""

    def __call__(self, a: int, b: int) -> int:
        return a * b


def test_functions_as_they_are() -> None:
    """Without a docstring, callable objects, methods, partials; hints that are text."""
    import functools

    def no_words(x: int) -> int:
        return x

    tools = ToolRegistry([no_words, Multiply(), functools.partial(add, b=2)])
    assert [(tool.name, tool.description) for tool in tools] == [
        ("no_words", "no words"), ("multiply", "Multiplies."), ("add", "Adds."),
    ]  # fmt: skip
    assert run(tools.execute("multiply", {"a": 2, "b": 3})).output == "6"
    assert run(tools.execute("add", {"a": 2})).output == "4"


CITY = {"type": "string", "description": "Where."}


@pytest.mark.parametrize(
    ("given", "properties", "required"),
    [
        ({"city": CITY}, {"city": CITY}, ["city"]),
        ({"city": CITY, "type": {"type": "string", "default": "x"}}, None, ["city"]),
        ({"properties": {"type": "array"}, "description": CITY}, None, ["properties", "description"]),
        ({}, {}, None),
        ({"properties": {"city": CITY}}, {"city": CITY}, None),
        ({"type": "object", "properties": {"city": CITY}, "minProperties": 1}, {"city": CITY}, None),
        ({"additionalProperties": {"type": "string"}}, {}, None),
    ],
)
def test_a_flat_map_of_parameters_is_understood(given: Any, properties: Any, required: Any) -> None:
    """Where every value is a schema the keys are parameters; where they are words of JSON Schema they are not."""
    parameters = Tool("f", "Does.", given, print).parameters
    assert parameters["properties"] == (given if properties is None else properties)
    assert parameters.get("required") == required


@pytest.mark.parametrize(
    "given", [{"city": "string"}, {"city": str}, {"city": CITY, "required": ["city"]}, {"type": "object", "city": CITY}]
)
def test_what_is_neither_a_schema_nor_a_flat_map_is_refused(given: Any) -> None:
    """At once, with the place and what it should look like."""
    with pytest.raises(ToolDefinitionError, match="got `city` outside of `properties`"):
        Tool("f", "Does.", given, print)


# Hooks


def test_one_call_at_a_time_is_asked_about() -> None:
    """And none that will not run anyway: of an unknown tool, or with wrong arguments. What runs has started."""
    open_, most, asked = 0, 0, []

    async def before(call: Call) -> bool:
        nonlocal open_, most
        open_ += 1
        most = max(most, open_)
        asked.append(call.arguments["a"])
        await asyncio.sleep(0.01)
        open_ -= 1
        return call.arguments["a"] != 2

    text = "".join([*(call_text("add", a=i, b=i) for i in range(4)), call_text("ad"), call_text("add", a="x", b=1)])

    async def work() -> list[Any]:
        return [event async for event in Agent(Script(text, "Done."), [add], before=before).stream("?")]

    events = run(work())
    assert (most, sorted(asked)) == (1, [0, 1, 2, 3])
    assert sorted(event.index for event in events if isinstance(event, ToolStarted)) == [0, 1, 3]
    assert sorted(event.index for event in events if isinstance(event, ToolFinished)) == [0, 1, 2, 3, 4, 5]


def test_a_hook_that_fails_is_a_result() -> None:
    """Told as any other: the run goes on."""

    async def work(**hooks: Any) -> list[Any]:
        agent = Agent(Script(ADD, "Done."), ToolRegistry([add], show_exceptions=True), **hooks)
        return [event async for event in agent.stream("?")]

    def fail(*_: Any) -> None:
        raise OSError("gone")

    for hook in ("before", "after"):
        events = run(work(**{hook: fail}))
        (finished,) = (event for event in events if isinstance(event, ToolFinished))
        assert finished.result.output == "a hook failed: OSError: gone"
        assert isinstance(events[-1], Done)


def test_every_step_has_its_surroundings() -> None:
    """A run holds requests and executions; each says what it was about, and errors go through."""
    open_: list[str] = []
    seen: list[tuple[str, ...]] = []
    steps: list[Step] = []

    @contextlib.contextmanager
    def around(step: Step) -> Iterator[None]:
        steps.append(step)
        seen.append((*open_, type(step).__name__))
        open_.append(type(step).__name__)
        try:
            yield
        finally:
            open_.pop()

    result = run(Agent(Script(ADD, "3."), [add], around=around).run("?"))
    ran, first, tool, second = steps
    assert isinstance(ran, RunStep) and ran.result == result
    assert isinstance(first, ModelStep) and first.name == "script" and first.message and first.message.calls
    assert isinstance(tool, ToolStep) and tool.result and tool.result.output == "3" and tool.call_id
    assert isinstance(second, ModelStep) and len(second.turns) == 3 and second.message
    assert seen[1] == seen[3] == ("RunStep", "ModelStep")


def test_a_call_does_not_belong_to_the_request_that_is_open() -> None:
    """It runs beside the answer, in the surroundings of the run."""
    import contextvars

    where = contextvars.ContextVar("where", default="outside")
    found: list[str] = []

    @contextlib.contextmanager
    def around(step: Step) -> Iterator[None]:
        if isinstance(step, ToolStep):
            found.append(where.get())
        token = where.set(type(step).__name__)
        yield
        where.reset(token)

    run(Agent(Script(streamed(ADD, " and", " more"), "3."), [add], around=around).run("?"))
    assert found == ["RunStep"]


# Streams that are left


@pytest.mark.parametrize("kept", [True, False])
def test_a_stream_is_left_and_the_agent_run_again(kept: bool) -> None:
    """Whether somebody still holds it or not; who comes back to it is told."""

    async def work() -> None:
        agent = Agent(Script(streamed(ADD, *"x" * 50), "Fine."), [add])
        stream = agent.stream("?")
        held = stream if kept else None
        async for event in stream if kept else agent.stream("?"):
            if isinstance(event, ToolFinished):
                break
        assert (await agent.run("Again?")).text == "Fine."
        if held is not None:
            with pytest.raises(RuntimeError, match="another run before it"):
                async for _ in held:
                    pass

    run(work())


@pytest.mark.parametrize("message", [None, "And?"])
@pytest.mark.parametrize("answered", [0, 1])
def test_calls_that_the_conversation_ends_with(message: str | None, answered: int) -> None:
    """Nobody knows whether they were executed: they are not, and the model is told so."""
    calls = [Call("tide", {"port": "Brest"}, "a"), Call("tide", {"port": "Oslo"}, "b")]
    results = [Results((ToolResult("a", "tide", "12:04"),))] * answered
    model, ran = Script("Done."), []
    agent = Agent(model, [Tool("tide", "Tells the tide.", {"port": {"type": "string"}}, lambda **of: ran.append(of))])
    run(agent.run(message, history=[User("?"), Assistant(toolect.Message(calls)), *results]))
    _, _, results, *rest = model.asked[0]
    assert isinstance(results, Results) and [one.call_id for one in results.results] == ["a", "b"]
    assert [one.is_error for one in results.results] == [not answered, True] and not ran
    assert rest == [User("And?")] * (message is not None)
