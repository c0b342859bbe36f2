"""Conversations written as public data sets, APIs, logs and traces have them: one writer for each shape of rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import toolect
from toolect import Conversation
from toolect._message import Json
from toolect.conversation import Assistant, Results, System, User

Row = dict[str, Any]


class Shape(NamedTuple):
    """A writer of rows, and what such rows have no place for: a conversation that has any of it is not written."""

    write: Callable[[Conversation], Json]
    lacks: frozenset[str] = frozenset()


SHAPES: dict[str, Shape] = {}


def shape(*lacks: str) -> Callable[[Callable[[Conversation], Json]], Callable[[Conversation], Json]]:
    """Register a writer under its own name."""

    def kept(write: Callable[[Conversation], Json]) -> Callable[[Conversation], Json]:
        SHAPES[write.__name__] = Shape(write, frozenset(lacks))
        return write

    return kept


def features(one: Conversation) -> Iterator[str]:
    """What a conversation has, for which some shapes have no place."""
    for at, turn in enumerate(one.turns):
        if isinstance(turn, Assistant):
            message = turn.message
            yield from ["reasoning"] * bool(message.reasoning)
            yield from ["both"] * bool(message.content and message.calls)
            yield from ["parallel"] * (len(message.calls) > 1)
            yield from ["calls"] * bool(message.calls)
            yield from ["follow"] * (at > 0 and isinstance(one.turns[at - 1], Assistant))
        elif isinstance(turn, Results):
            yield "results"
            names = [call.id for call in one.turns[at - 1].message.calls]
            yield from ["ids"] * (names != [result.call_id for result in turn.results])
        elif isinstance(turn, System):
            yield "system"
    if not any(isinstance(turn, Assistant) and turn.message.reasoning and turn.message.calls for turn in one.turns):
        yield "unplanned"
    if not isinstance(one.turns[-1], Assistant):
        yield "open"
    if len([turn for turn in one.turns if isinstance(turn, User)]) > 1:
        yield "rounds"
    if not one.tools:
        yield "no tools"
    if not isinstance(one.turns[0], System):
        yield "no system"


def messages(one: Conversation, objects: bool = False) -> list[Row]:
    """The messages of the chat-completions API."""
    found: list[Row] = one.to_openai()["messages"]
    for message in found:
        for call in message.get("tool_calls", ()) if objects else ():
            call["function"]["arguments"] = json.loads(call["function"]["arguments"])
    return found


def tools(one: Conversation) -> list[Row]:
    return [dict(tool) for tool in one.tools]


def flat(one: Conversation) -> list[Row]:
    return [dict(tool["function"]) for tool in one.tools]


def split(one: Conversation) -> tuple[list[Row], Row]:
    """What was asked, and the last answer."""
    *before, last = messages(one)
    return before, last


def text(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


# APIs and their logs


@shape()
def openai_messages(one: Conversation) -> Json:
    return {"messages": messages(one), "tools": tools(one), "parallel_tool_calls": False}


@shape()
def openai_messages_of_objects(one: Conversation) -> Json:
    return {"uuid": "u", "messages": messages(one, True), "tools": tools(one), "reasoning": "on"}


@shape()
def messages_in_text(one: Conversation) -> Json:
    return {"messages": text(messages(one)), "available_tools": text(tools(one)), "metadata": "{}", "question": "?"}


@shape("parallel")
def openai_functions(one: Conversation) -> Json:
    found = []
    for message in messages(one):
        if calls := message.pop("tool_calls", None):
            message["function_call"] = calls[0]["function"]
        if message["role"] == "tool":
            message = {"role": "function", "name": message["name"], "content": message["content"]}
        found.append(message)
    return {"messages": found, "functions": flat(one)}


@shape("open")
def weighted(one: Conversation) -> Json:
    found = messages(one)
    found[-1]["weight"] = 0
    return {"messages": found, "tools": tools(one)}


@shape()
def tools_in_metadata(one: Conversation) -> Json:
    return {"messages": [{**m, "tool_calls": m.get("tool_calls", [])} for m in messages(one)], "category": "tool",
            "metadata": text({"tools": tools(one)}), "reasoning": "off"}  # fmt: skip


@shape("open")
def chat_log(one: Conversation) -> Json:
    before, last = split(one)
    answer = {"index": 0, "finish_reason": "stop", "message": {"refusal": None, "function_call": None, **last}}
    return {"request": {"model": "m", "messages": before, "tools": tools(one)},
            "response": {"id": "x", "object": "chat.completion", "choices": [answer]}}  # fmt: skip


@shape("open")
def gateway_log(one: Conversation) -> Json:
    before, last = split(one)
    body = {"id": "x", "object": "chat.completion", "choices": [{"index": 0, "finish_reason": "stop", "message": last}]}
    return {"request_id": "r", "call_type": "acompletion", "messages": text(before), "response": text(body),
            "proxy_server_request": text({"model": "m", "messages": before, "tools": tools(one)})}  # fmt: skip


@shape("open")
def gateway_record(one: Conversation) -> Json:
    before, last = split(one)
    body = {"id": "x", "object": "chat.completion", "choices": [{"index": 0, "finish_reason": "stop", "message": last}]}
    return {"id": "i", "stream": False, "messages": before, "response": body, "metadata": {"user": None},
            "model_parameters": {"temperature": 0, "tools": tools(one)}}  # fmt: skip


@shape("open", "ids")
def ollama(one: Conversation) -> Json:
    found = []
    for message in messages(one, True):
        if calls := message.get("tool_calls"):
            message["tool_calls"] = [{"function": call["function"]} for call in calls]
        if message["role"] == "tool":
            message = {"role": "tool", "tool_name": message["name"], "content": message["content"]}
        if "reasoning_content" in message:
            message["thinking"] = message.pop("reasoning_content")
        found.append({**message, "content": message["content"] or ""})
    return {"request": {"model": "m", "messages": found[:-1], "stream": False, "tools": tools(one)},
            "response": {"model": "m", "message": found[-1], "done_reason": "stop", "done": True}}  # fmt: skip


@shape("follow")
def anthropic(one: Conversation) -> Json:
    return {"model": "m", "max_tokens": 9, **one.to_anthropic()}


@shape("follow")
def anthropic_batch(one: Conversation) -> Json:
    return {"custom_id": "r", "params": {"model": "m", "max_tokens": 9, **one.to_anthropic()}}


@shape("follow", "open")
def anthropic_log(one: Conversation) -> Json:
    body = one.to_anthropic()
    last = body["messages"].pop()
    return {"request": body, "response": {"id": "m", "type": "message", "role": "assistant", "content": last["content"],
                                          "stop_reason": "end_turn", "usage": {"input_tokens": 1}}}  # fmt: skip


@shape("follow")
def responses(one: Conversation) -> Json:
    body = one.to_responses()
    return {"input": body["input"], "tools": body.get("tools", [])}


@shape("follow", "open")
def responses_log(one: Conversation) -> Json:
    body = one.to_responses()
    system = [item for item in body["input"] if item.get("role") == "system"]
    items = [item for item in body["input"] if item not in system]
    at = max(n for n, item in enumerate(items) if item["type"] == "function_call_output" or item.get("role") == "user")
    request = {"model": "m", "input": items[: at + 1], "tools": body.get("tools", [])}
    if system:
        request["instructions"] = system[0]["content"]
    return {
        "request": request,
        "response": {"id": "x", "object": "response", "status": "completed", "output": items[at + 1 :]},
    }


@shape()
def openai_batch(one: Conversation) -> Json:
    body = {"model": "m", "messages": messages(one), "tools": tools(one)}
    return {"custom_id": "r", "method": "POST", "url": "/v1/chat/completions", "body": body}


@shape("open")
def openai_batch_joined(one: Conversation) -> Json:
    before, last = split(one)
    body = {"id": "x", "object": "chat.completion", "choices": [{"index": 0, "message": last, "finish_reason": "stop"}]}
    return {"custom_id": "r", "method": "POST", "body": {"messages": before, "tools": tools(one)}, "error": None,
            "response": {"status_code": 200, "request_id": "q", "body": body}}  # fmt: skip


@shape("open")
def openai_pair(one: Conversation) -> Json:
    before, last = split(one)
    return {"input": {"messages": before, "tools": tools(one), "parallel_tool_calls": True},
            "preferred_output": [last], "non_preferred_output": [{"role": "assistant", "content": "No."}]}  # fmt: skip


@shape("open")
def trl_pair(one: Conversation) -> Json:
    before, last = split(one)
    return {
        "prompt": before,
        "chosen": [last],
        "rejected": [{"role": "assistant", "content": "No."}],
        "tools": tools(one),
    }


@shape("open")
def trl_pair_of_conversations(one: Conversation) -> Json:
    before, last = split(one)
    return {
        "chosen": [*before, last],
        "rejected": [*before, {"role": "assistant", "content": "No."}],
        "tools": tools(one),
    }


@shape("ids", "no order")
def gemini(one: Conversation) -> Json:
    row: Row = {"contents": [], "tools": [{"functionDeclarations": flat(one)}]}
    for turn in one.turns:
        match turn:
            case System(said):
                row["systemInstruction"] = {"parts": [{"text": said}]}
            case User(said):
                row["contents"].append({"role": "user", "parts": [{"text": said}]})
            case Assistant(message):
                parts: list[Json] = [{"text": message.reasoning, "thought": True}] * bool(message.reasoning)
                parts += [{"text": message.content}] * bool(message.content)
                parts += [{"functionCall": {"name": call.name, "args": call.arguments}} for call in message.calls]
                row["contents"].append({"role": "model", "parts": parts})
            case Results(results):
                parts = [{"functionResponse": {"name": r.name, "response": {"result": r.output}}} for r in results]
                row["contents"].append({"role": "user", "parts": parts})
    return row


@shape("open")
def nemo_rl(one: Conversation) -> Json:
    body = one.to_responses()
    items = body["input"]
    if len(one.turns[-1].message.calls) != 1 or one.turns[-1].message.content or one.turns[-1].message.reasoning:
        return responses(one)
    last = items.pop()
    return {"trajectory_id": 0, "responses_create_params": {"input": items, "tools": body.get("tools", [])},
            "expected_action": {key: last[key] for key in ("type", "name", "arguments")}}  # fmt: skip


# Traces


def langchain(one: Conversation) -> list[Row]:
    names = {"system": "SystemMessage", "user": "HumanMessage", "assistant": "AIMessage", "tool": "ToolMessage"}
    found = []
    for message in messages(one, True):
        kind = {"user": "human", "assistant": "ai"}.get(message["role"], message["role"])
        kwargs: Row = {"content": message["content"] or "", "type": kind}
        if calls := message.get("tool_calls"):
            kwargs["additional_kwargs"] = {"tool_calls": calls}
            kwargs["tool_calls"] = [
                {"name": c["function"]["name"], "args": c["function"]["arguments"], "id": c["id"], "type": "tool_call"}
                for c in calls
            ]
            kwargs["invalid_tool_calls"] = []
        if kind == "tool":
            kwargs |= {"tool_call_id": message["tool_call_id"], "status": "success"}
        path = ["langchain", "schema", "messages", names[message["role"]]]
        found.append({"lc": 1, "type": "constructor", "id": path, "kwargs": kwargs})
    return found


@shape("reasoning")
def langchain_messages(one: Conversation) -> Json:
    found = [{"id": None, **message["kwargs"]} for message in langchain(one)]
    return {"messages": found, "tools": tools(one)}


@shape("reasoning")
def langchain_without_calls(one: Conversation) -> Json:
    """As it was before calls had a field of their own."""
    row = json.loads(json.dumps(langchain_messages(one)))
    for message in row["messages"]:
        message.pop("tool_calls", None)
    return dict(row)


@shape()
def vercel(one: Conversation) -> Json:
    found = []
    for message in messages(one, True):
        parts: list[Json] = []
        if message["role"] == "tool":
            parts.append({"type": "tool-result", "toolCallId": message["tool_call_id"], "toolName": message["name"],
                          "output": {"type": "text", "value": message["content"]}})  # fmt: skip
        else:
            if thought := message.get("reasoning_content"):
                parts.append({"type": "reasoning", "text": thought})
            if message["content"]:
                parts.append({"type": "text", "text": message["content"]})
            parts += ({"type": "tool-call", "toolCallId": call["id"], "toolName": call["function"]["name"],
                       "input": call["function"]["arguments"]} for call in message.get("tool_calls", ()))  # fmt: skip
        found.append({"role": message["role"], "content": message["content"] if message["role"] == "system" else parts})
    return {"messages": found, "tools": tools(one)}


@shape("open", "reasoning")
def langsmith(one: Conversation) -> Json:
    *before, last = langchain(one)
    generation = {"text": last["kwargs"]["content"], "generation_info": {}, "type": "ChatGeneration", "message": last}
    return {"id": "i", "run_type": "llm", "inputs": {"messages": [before]}, "outputs": {"generations": [[generation]]},
            "extra": {"invocation_params": {"tools": tools(one)}, "metadata": {}}}  # fmt: skip


@shape("open")
def langsmith_wrapper(one: Conversation) -> Json:
    before, last = split(one)
    return {"id": "i", "run_type": "llm", "inputs": {"messages": before, "model": "m", "tools": tools(one)},
            "outputs": {"id": "x", "choices": [{"index": 0, "finish_reason": "stop", "message": last}]}}  # fmt: skip


@shape("open")
def langfuse(one: Conversation) -> Json:
    before, last = split(one)
    return {"id": "o", "type": "GENERATION", "input": {"messages": before, "tools": tools(one)}, "output": last,
            "metadata": {}, "level": "DEFAULT"}  # fmt: skip


@shape("open")
def langfuse_list(one: Conversation) -> Json:
    before, last = split(one)
    return {"id": "o", "type": "GENERATION", "input": before, "output": last, "metadata": {"tools": tools(one)}}


def opentelemetry(one: Conversation) -> Row:
    found = []
    for message in messages(one, True):
        parts: list[Json] = []
        if message["role"] == "tool":
            parts.append({"type": "tool_call_response", "id": message["tool_call_id"], "response": message["content"]})
        else:
            if thought := message.get("reasoning_content"):
                parts.append({"type": "reasoning", "content": thought})
            if message["content"]:
                parts.append({"type": "text", "content": message["content"]})
            calls = message.get("tool_calls", ())
            parts += ({"type": "tool_call", "id": call["id"], **call["function"]} for call in calls)
        found.append({"role": message["role"], "parts": parts})
    row = {"gen_ai.operation.name": "chat"}
    if found[0]["role"] == "system":
        row["gen_ai.system_instructions"] = text(found.pop(0)["parts"])
    row["gen_ai.input.messages"] = text(found[:-1])
    row["gen_ai.output.messages"] = text([{**found[-1], "finish_reason": "stop"}])
    return row | {"gen_ai.tool.definitions": text(tools(one))}


@shape("open")
def otel_span(one: Conversation) -> Json:
    return {"traceId": "0", "name": "chat", "attributes": opentelemetry(one)}


@shape("open")
def otlp(one: Conversation) -> Json:
    held = [{"key": key, "value": {"stringValue": value}} for key, value in opentelemetry(one).items()]
    spans = [{"traceId": "0", "name": "chat", "kind": 3, "attributes": held}]
    return {
        "resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [{"scope": {"name": "s"}, "spans": spans}]}]
    }


@shape("open", "reasoning")
def openinference(one: Conversation) -> Json:
    found: Row = {"openinference.span.kind": "LLM"}
    *before, last = messages(one)
    for side, said in (("input", before), ("output", [last])):
        for number, message in enumerate(said):
            start = f"llm.{side}_messages.{number}.message"
            found[f"{start}.role"] = message["role"]
            if message["content"] is not None:
                found[f"{start}.content"] = message["content"]
            if "tool_call_id" in message:
                found[f"{start}.tool_call_id"] = message["tool_call_id"]
            for at, call in enumerate(message.get("tool_calls", ())):
                inside = f"{start}.tool_calls.{at}.tool_call"
                found |= {f"{inside}.id": call["id"], f"{inside}.function.name": call["function"]["name"],
                          f"{inside}.function.arguments": call["function"]["arguments"]}  # fmt: skip
    for number, tool in enumerate(tools(one)):
        found[f"llm.tools.{number}.tool.json_schema"] = text(tool)
    return {"name": "ChatCompletion", "span_kind": "LLM", "attributes": found}


# Data sets


def sharegpt(one: Conversation, names: Row, key: str = "from", value: str = "value") -> list[Row]:
    """Turns with calls and results of their own."""
    found = []
    for turn in one.turns:
        match turn:
            case System(said):
                found.append((names["system"], said))
            case User(said):
                found.append((names["user"], said))
            case Assistant(message):
                if message.reasoning:
                    found.append((names["reasoning"], message.reasoning))
                if message.content or not message.calls:
                    found.append((names["assistant"], message.content))
                calls = [{"name": call.name, "arguments": call.arguments} for call in message.calls]
                if calls:
                    found.append((names["calls"], text(calls if len(calls) > 1 else calls[0])))
            case Results(results):
                found += [(names["tool"], result.output) for result in results]
    return [{key: who, value: said} for who, said in found]


SHAREGPT = {"system": "system", "user": "human", "assistant": "gpt", "calls": "function_call", "tool": "observation"}


@shape("reasoning", "ids", "follow")
def sharegpt_turns(one: Conversation) -> Json:
    said = sharegpt(one, SHAREGPT)
    system = said.pop(0)["value"] if said[0]["from"] == "system" else ""
    return {"conversations": said, "tools": text(flat(one)), "system": system}


@shape("ids", "parallel", "follow")
def ms_swift(one: Conversation) -> Json:
    names = {
        **SHAREGPT,
        "user": "user",
        "assistant": "assistant",
        "calls": "tool_call",
        "tool": "tool_response",
        "reasoning": "reasoning",
    }
    return {"tools": text(tools(one)), "messages": sharegpt(one, names, "role", "content")}


@shape("reasoning", "ids", "follow", "parallel", "no tools", "no system")
def glaive_turns(one: Conversation) -> Json:
    said = sharegpt(one, {**SHAREGPT, "calls": "function-call", "tool": "function-response"})
    for turn in said:
        if turn["from"] == "function-call":
            call = json.loads(turn["value"])
            turn["value"] = f'{{"name": "{call["name"]}", "arguments": \'{text(call["arguments"])}\'}}'
    system = said.pop(0)["value"] if said[0]["from"] == "system" else "Use them if required -"
    described = "\n\n".join(json.dumps(tool, indent=4) for tool in flat(one))
    return {"system_message": system, "function_description": described, "conversations": said}


@shape("ids", "follow")
def roles_of_their_own(one: Conversation) -> Json:
    names = {
        **SHAREGPT,
        "user": "user",
        "assistant": "answer",
        "calls": "tool_call",
        "tool": "tool_output",
        "reasoning": "reasoning",
    }
    tags = {"reasoning": "think", "tool_call": "tool_call", "tool_output": "tool_response", "answer": "answer"}
    said = sharegpt(one, names, "role", "content")
    for turn in said:
        if tag := tags.get(turn["role"]):
            inside = turn["content"] if tag in ("think", "answer") else f"\n{turn['content']}\n"
            turn["content"] = f"<{tag}>{inside}</{tag}>"
    return {"messages": text(said), "uuid": "u", "tools": tools(one)}


@shape()
def trajectory(one: Conversation) -> Json:
    return {"trajectory_id": "t", "trajectory": [{**m, "name": m.get("name")} for m in messages(one)],
            "tools": tools(one), "exit_status": "submit", "resolved": 1}  # fmt: skip


@shape("ids", "parallel", "no tools")
def swe_smith(one: Conversation) -> Json:
    said = [
        {**m, "content": m["content"] and [{"type": "text", "text": m["content"]}], "agent": "main"}
        for m in messages(one)
    ]
    return {"messages": text(said), "instance_id": "i", "tools": tools(one), "resolved": True}


@shape("ids", "reasoning", "system", "rounds", "results", "both", "no tools")
def xlam(one: Conversation) -> Json:
    calls = one.turns[-1].message.calls
    if not calls:
        return openai_messages(one)
    answers = [{"name": call.name, "arguments": call.arguments} for call in calls]
    return {"id": 0, "query": one.turns[0].text, "answers": text(answers), "tools": text(flat(one))}


# Files of events


@shape("reasoning", "no system")
def openhands(one: Conversation) -> Json:
    system = one.turns[0].text if isinstance(one.turns[0], System) else "S"
    events: list[Row] = [{"source": "agent", "action": "system", "args": {"content": system, "tools": tools(one)}}]
    for number, message in enumerate(messages(one)):
        if message["role"] == "user":
            events.append({"id": number, "source": "user", "action": "message", "message": "x",
                           "args": {"content": message["content"], "image_urls": None}})  # fmt: skip
        elif message["role"] == "assistant" and not message.get("tool_calls"):
            if "reasoning_content" in message:
                message = {**message}
            events.append(
                {
                    "id": number,
                    "source": "agent",
                    "action": "message",
                    "message": "x",
                    "args": {"content": message["content"]},
                }
            )
        elif message["role"] == "assistant":
            body = {"id": "chatcmpl-1", "choices": [{"index": 0, "message": message}]}
            for call in message["tool_calls"]:
                about_call = {
                    "function_name": call["function"]["name"],
                    "tool_call_id": call["id"],
                    "model_response": body,
                }
                events.append(
                    {"source": "agent", "action": "run", "args": {"command": "x"}, "tool_call_metadata": about_call}
                )
        elif message["role"] == "tool":
            about_call = {"function_name": message["name"], "tool_call_id": message["tool_call_id"]}
            events.append({"source": "environment", "observation": "run", "content": message["content"],
                           "extras": {}, "tool_call_metadata": about_call})  # fmt: skip
    return {"instance_id": "i", "history": events}


@shape("follow", "system", "tools")
def claude_code(one: Conversation) -> Json:
    body = one.to_anthropic()
    found: list[Row] = [{"type": "summary", "summary": "A session", "leafUuid": "l"}]
    for message in body["messages"]:
        record = {"isSidechain": False, "cwd": "/r", "type": message["role"]}
        if message["role"] == "assistant":
            for block in message["content"] or [{"type": "text", "text": ""}]:
                said = {
                    "id": "msg_1",
                    "type": "message",
                    "model": "m",
                    "role": "assistant",
                    "content": [block],
                    "usage": {"x": 1},
                }
                found.append({**record, "message": said})
        else:
            found.append({**record, "message": message})
    for number, record in enumerate(found):  # each follows the one before, whatever the ids of messages are
        record |= {"uuid": str(number), "parentUuid": str(number - 1) if number > 1 else None}
    return found


@shape("follow", "tools")
def codex(one: Conversation) -> Json:
    body = one.to_responses()
    system = next((item["content"] for item in body["input"] if item.get("role") == "system"), None)
    found: list[Row] = [{"timestamp": "t", "type": "session_meta", "payload": {"id": "i", "instructions": system}}]
    for item in body["input"]:
        if item.get("role") != "system":
            found.append({"timestamp": "t", "type": "response_item", "payload": item})
            found.append({"timestamp": "t", "type": "event_msg", "payload": {"type": "token_count", "info": None}})
    return found


# Calls in the text


def _filled(result: str, name: str, output: str) -> str:
    return result.replace("OUTPUT", output).replace("NAME", name).replace("JSON", text(output))


def in_text(one: Conversation, dialect: str, result: str, of_tool: str, system: str) -> list[tuple[str, str]]:
    """Who says what, where calls stand in the answers, below a system text that tells of the tools."""
    found = [("system", system)]
    for turn in one.turns:
        match turn:
            case User(said):
                found.append(("user", said))
            case Assistant(message):
                found.append(("assistant", str(toolect.dialect(dialect).render(message, one.tools or None)).strip()))
            case Results(results):
                found += ((of_tool, _filled(result, one.name, one.output)) for one in results)
    return found


@shape("ids", "system", "follow", "no tools", "parallel", "prompt")
def hermes(one: Conversation) -> Json:
    system = f"You are a function calling AI model.\n<tools>\n{text(tools(one))}\n</tools>\nCall functions."
    said = in_text(
        one, "hermes", '<tool_response>\n{"name": "NAME", "content": JSON}\n</tool_response>', "tool", system
    )
    names = {"system": "system", "user": "human", "assistant": "gpt", "tool": "tool"}
    return {
        "id": "i",
        "conversations": [{"from": names[who], "value": value} for who, value in said],
        "tools": text(tools(one)),
    }


@shape("ids", "system", "follow", "no tools", "parallel", "prompt", "reasoning", "both")
def hermes_python(one: Conversation) -> Json:
    row = hermes(one)
    for turn in row["conversations"]:
        if turn["value"].startswith("<tool_call>"):
            call = json.loads(turn["value"].removeprefix("<tool_call>").removesuffix("</tool_call>"))
            turn["value"] = (
                f"<tool_call>\n{{'arguments': {call['arguments']!r}, 'name': {call['name']!r}}}\n</tool_call>"
            )
    return row


@shape("ids", "system", "follow", "no tools", "parallel", "prompt", "reasoning")
def glaive_text(one: Conversation) -> Json:
    described = "\n\n".join(json.dumps(tool, indent=4) for tool in flat(one))
    chat = ""
    for turn in one.turns:
        match turn:
            case User(said):
                chat += f"USER: {said}\n\n\n"
            case Assistant(message):
                said = message.content
                for call in message.calls:
                    given = json.dumps(call.arguments, indent=2, ensure_ascii=False)
                    said = f'{said}\n<functioncall> {{"name": "{call.name}", "arguments": \'{given}\'}}'.strip()
                chat += f"ASSISTANT: {said} <|endoftext|>\n\n\n"
            case Results(results):
                chat += "".join(f"FUNCTION RESPONSE: {result.output}\n\n\n" for result in results)
    return {
        "system": f"SYSTEM: You are a helpful assistant with access to the following functions -\n{described}\n",
        "chat": chat,
    }


@shape("ids", "system", "follow", "no tools", "prompt", "reasoning", "both")
def toolace(one: Conversation) -> Json:
    system = (
        "You are an expert in composing functions.\nHere is a list of functions in JSON format that you can invoke:\n"
        f"{text(flat(one))}. \nShould you decide to return the function call(s).\n"
    )
    said = in_text(one, "pythonic", '{"name": "NAME", "results": JSON}', "tool", system)[1:]
    turns: list[Row] = []
    for who, value in said:
        if who == "tool" and turns[-1]["from"] == "tool":
            turns[-1]["value"] = f"{turns[-1]['value'][:-1]}, {value}]"
        else:
            turns.append({"from": who, "value": f"[{value}]" if who == "tool" else value})
    return {"system": system, "conversations": turns}


@shape("ids", "system", "follow", "no tools", "parallel", "prompt")
def toolbench(one: Conversation) -> Json:
    system = f"You are AutoGPT.\nSpecifically, you have access to the following APIs: {flat(one)!r}"
    said = in_text(one, "react", "OUTPUT", "function", system)
    return {"id": "Step", "conversations": [{"from": who, "value": value} for who, value in said]}


@shape("ids", "system", "follow", "no tools", "parallel", "prompt", "reasoning", "results", "rounds")
def nemotron_text(one: Conversation) -> Json:
    user, last = one.turns[0], one.turns[-1]
    output = str(toolect.dialect("nemotron-nano-v2").render(last.message, one.tools))
    return {"input": [{"role": "user", "content": user.text}], "output": output, "category": "chat", "reasoning": "off",
            "system_prompt": f"<AVAILABLE_TOOLS>{text(tools(one))}</AVAILABLE_TOOLS>"}  # fmt: skip


@shape("ids", "system", "follow", "no tools", "parallel", "prompt", "reasoning")
def swe_smith_text(one: Conversation) -> Json:
    system = f"You can use:\n<tools>\n{text(tools(one))}\n</tools>"
    said = in_text(one, "qwen3-coder", "OBSERVATION:\nOUTPUT", "user", system)
    return {
        "messages": text([{"role": who, "content": value} for who, value in said]),
        "instance_id": "i",
        "resolved": True,
    }


# Messages of other libraries, and of models


def called(message: Row) -> list[tuple[str, str, Json]]:
    """The id, the name and the arguments of each call of a message."""
    calls = [(one["id"], one["function"]) for one in message.get("tool_calls", ())]
    return [(call_id, function["name"], json.loads(function["arguments"])) for call_id, function in calls]


@shape("follow")
def pydantic_ai(one: Conversation) -> Json:
    found: list[Row] = []
    for m in messages(one):
        if m["role"] == "assistant":
            parts = [{"part_kind": "thinking", "content": m.get("reasoning_content")}] * ("reasoning_content" in m)
            parts += [{"part_kind": "text", "content": m["content"]}] * bool(m["content"])
            parts += [
                {"part_kind": "tool-call", "tool_name": name, "args": text(arguments), "tool_call_id": call_id}
                for call_id, name, arguments in called(m)
            ]
            found.append({"kind": "response", "parts": parts, "usage": {"requests": 1}, "timestamp": "t"})
            continue
        kind = {"system": "system-prompt", "user": "user-prompt", "tool": "tool-return"}[m["role"]]
        part = {"part_kind": kind, "content": m["content"], "timestamp": "t"}
        if m["role"] == "tool":
            part |= {"tool_name": m["name"], "tool_call_id": m["tool_call_id"]}
        if found and found[-1]["kind"] == "request":
            found[-1]["parts"].append(part)
        else:
            found.append({"kind": "request", "parts": [part], "instructions": None})
    return {"messages": found, "tools": tools(one)}


@shape("follow", "unplanned")
def cohere_v2(one: Conversation) -> Json:
    found = []
    for m in messages(one):
        if m["role"] == "tool":
            document = {"type": "document", "document": {"data": m["content"]}}
            found.append({"role": "tool", "tool_call_id": m["tool_call_id"], "content": [document]})
        elif "tool_calls" in m:
            plan = m.pop("reasoning_content", "")
            found.append({"role": "assistant", "tool_calls": m["tool_calls"]} | ({"tool_plan": plan} if plan else {}))
            if m["content"]:
                found[-1]["content"] = m["content"]
        elif m["role"] == "assistant":
            thought = [{"type": "thinking", "thinking": m.get("reasoning_content")}] * ("reasoning_content" in m)
            found.append({"role": "assistant", "content": [*thought, {"type": "text", "text": m["content"]}]})
        else:
            found.append(m)
    return {"messages": found, "tools": tools(one), "model": "c"}


@shape("reasoning", "follow", "calls", "results")
def llama_index(one: Conversation) -> Json:
    return {"messages": [
        {"role": m["role"], "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": m["content"]}]}
        for m in messages(one)], "tools": tools(one)}  # fmt: skip


@shape("follow", "no calls")
def haystack(one: Conversation) -> Json:
    found = []
    for m in messages(one):
        parts: list[Json] = [{"text": m["content"]}] * bool(m["content"])
        if m["role"] == "tool":
            origin = {"tool_name": m["name"], "arguments": {}, "id": m["tool_call_id"]}
            parts = [{"tool_call_result": {"result": m["content"], "origin": origin, "error": False}}]
        elif "reasoning_content" in m:
            parts.insert(0, {"reasoning": {"reasoning_text": m["reasoning_content"], "extra": {}}})
        parts += [{"tool_call": {"tool_name": name, "arguments": arguments, "id": call_id}}
                  for call_id, name, arguments in called(m)]  # fmt: skip
        found.append({"role": m["role"], "meta": {}, "name": None, "content": parts})
    return {"messages": found, "tools": tools(one)}


@shape("open", "follow", "parallel", "both")
def channels(one: Conversation) -> Json:
    found: list[Row] = []
    for m in messages(one):
        if m["role"] == "tool":
            found.append({"role": "tool", "name": f"functions.{m['name']}", "content": m["content"]})
        elif m["role"] == "assistant":
            if "reasoning_content" in m:
                found.append({"role": "assistant", "channel": "analysis", "content": m["reasoning_content"]})
            for _, name, arguments in called(m):
                to = f"functions.{name}"
                found.append(
                    {"role": "assistant", "channel": "commentary", "recipient": to, "content": text(arguments)}
                )
            if m["content"] or not called(m):
                found.append({"role": "assistant", "channel": "final", "content": m["content"]})
        else:
            found.append(m)
    return {"messages": found, "tools": tools(one)}


@shape("open", "follow", "parallel", "both")
def ui_messages(one: Conversation) -> Json:
    found: list[Row] = []
    results = {m["tool_call_id"]: m["content"] for m in messages(one) if m["role"] == "tool"}
    for m in messages(one):
        if m["role"] == "tool":
            continue
        parts: list[Json] = [{"type": "text", "text": m["content"]}] * bool(m["content"])
        if "reasoning_content" in m:
            parts.insert(0, {"type": "reasoning", "text": m["reasoning_content"], "state": "done"})
        for call_id, name, arguments in called(m):
            part = {"type": f"tool-{name}", "toolCallId": call_id, "input": arguments, "state": "input-available"}
            parts.append(
                part | ({"output": results[call_id], "state": "output-available"} if call_id in results else {})
            )
        if m["role"] == "assistant" and found[-1]["role"] == "assistant":
            found[-1]["parts"] += [{"type": "step-start"}, *parts]
        else:
            found.append({"id": str(len(found)), "role": m["role"], "parts": parts})
    return {"messages": found, "tools": tools(one)}


@shape("open", "system", "follow", "reasoning", "calls", "results", "tools")
def dialogues(one: Conversation) -> Json:
    names = {"user": "Human", "assistant": "Assistant"}
    said = "".join(f"\n\n{names[m['role']]}: {m['content']}" for m in messages(one)[:-1])
    last = messages(one)[-1]["content"]
    return {"chosen": f"{said}\n\nAssistant: {last}", "rejected": f"{said}\n\nAssistant: No."}


@shape("open", "system", "follow", "reasoning", "calls", "results", "tools")
def alternating(one: Conversation) -> Json:
    return {"id": "0", "data": [m["content"] for m in messages(one)]}


@shape("open")
def answered(one: Conversation) -> Json:
    before, last = split(one)
    return {"messages": before, "response": last, "tools": tools(one)}


@shape("open", "follow", "rounds", "calls", "results", "tools")
def thought_beside(one: Conversation) -> Json:
    before, last = split(one)
    row = {"question": before[-1]["content"], "answer": last["content"]}
    row |= {"system": before[0]["content"]} if len(before) > 1 else {}
    return row | ({"reasoning": last["reasoning_content"]} if "reasoning_content" in last else {})
