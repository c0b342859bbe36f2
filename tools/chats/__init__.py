"""Chats beside the templates that models are shipped with, on random conversations."""
